import { intercept } from '../interception.ts';
import { button, dashboard, page } from './shared-dashboard.ts';
import { askedByClosing, open } from './started-dashboard.ts';

const { admin } = dashboard;
const shop = await dashboard.addOrganization('trouble.example');
const siteId = await shop.addWebsite();
/** The website whose name tests change. */
const renamedId = await shop.addWebsite('--name', 'Blog');
const url = (tab: string, site = siteId) => shop.url(`/${site}/${tab}`);

/** Tests failures of the connection and of a part of the page. The page stays, explains the failure, and lets the user continue. */
describe('when something goes wrong', () => {
  beforeAll(() => shop.enter());

  const actionsOfOrganization = '**/api/dashboard/organizations/*/actions';

  test('offers to try again without a connection, and when the file of a part is gone after a new deployment', async () => {
    const failed = page.getByText('This part of the page could not be loaded');
    const gone: string[] = [];
    const chunk = /\/dashboard\/assets\/deploy-[^/]+\.js$/;
    const endInterception = await intercept(page, chunk, (route) => {
      gone.push(route.request().url());
      return route.fulfill({ status: 404, contentType: 'text/plain', body: 'Not found' });
    });
    await open(page, url('general'));
    // The page that all parts share has loaded the file already.
    await page.reload();
    await page.getByLabel('Name').fill('Typed before it broke');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await failed.waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before it broke');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await admin.context.setOffline(true);
    await button('Try again').click();
    await button('Try again').and(page.locator(':not([aria-disabled])')).waitFor();
    await failed.waitFor();
    await admin.context.setOffline(false);
    expect(gone).toHaveLength(1);
    // The page reloads and shows the same tab. The file is still missing, and the page does not reload in a loop.
    const loaded = page.waitForEvent('load');
    await button('Try again').click();
    await loaded;
    await failed.waitFor();
    expect(gone).toHaveLength(2);
    endInterception();
    await button('Try again').click();
    await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before it broke');
    await button('Discard changes').click();
  });

  const SHORT_TIMEOUTS =
    'const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 60); globalThis.restore = () => { AbortSignal.timeout = timeout; }';

  test('ends a start that is never answered, and says so', async () => {
    const tab = await admin.context.newPage();
    await tab.addInitScript(SHORT_TIMEOUTS);
    await tab.route('**/config.json', () => undefined);
    await tab.goto(shop.url(''));
    await tab.getByText('could not reach the login, or the login took too long').waitFor();
    await tab.close();
  });

  test('ends a save that is never answered, says so, and saves again', async () => {
    await open(page, url('general', renamedId));
    await page.evaluate(SHORT_TIMEOUTS);
    await page.getByLabel('Name').fill('Saved at last');
    const never = `**/api/dashboard/organizations/*/assistants/${renamedId}`;
    const endInterception = await intercept(page, never, () => undefined);
    await button('Save changes').click();
    await page.getByText('No connection to the service').waitFor();
    endInterception();
    // A busy machine may need longer than the shortened time for the save that is answered.
    await page.evaluate('restore()');
    await button('Save changes').click();
    await page.getByText('Saved.').waitFor();
    await shop.openAnew(`/${renamedId}/general`);
    expect(await page.getByLabel('Name').inputValue()).toBe('Saved at last');
  });

  test('takes and saves input for which the storage of the browser has no room', async () => {
    const before = admin.problems.length;
    await open(page, url('general', renamedId));
    await page.evaluate(`for (let size = 2 ** 22; size >= 1; size = Math.floor(size / 2)) {
      try { for (let n = 0; ; n++) sessionStorage.setItem('filled' + size + '.' + n, 'x'.repeat(size)); } catch {}
    }`);
    await page.getByLabel('Name').fill('Without room');
    expect(await askedByClosing(page)).toBe('beforeunload');
    await open(page, shop.url('/members'));
    await page.getByRole('link', { name: 'General, ' }).click();
    await page.getByText('Your earlier input is in this form again').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Without room');
    await button('Save changes').click();
    await page.getByText('Saved.').last().waitFor();
    await open(page, shop.url('/members'));
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await page.getByText('Your input in these forms is not saved').count()).toBe(0);
    await open(page, url('general', renamedId));
    await page.evaluate(
      `Object.keys(sessionStorage).filter((key) => key.startsWith('filled')).forEach((key) => sessionStorage.removeItem(key))`,
    );
    await shop.openAnew(`/${renamedId}/general`);
    expect(await page.getByLabel('Name').inputValue()).toBe('Without room');
    expect(admin.problems.slice(before)).toEqual([]);
  });

  test('shows no number of Actions while they are loading', async () => {
    const waiting = Promise.withResolvers<void>();
    await intercept(page, actionsOfOrganization, async (route) => {
      await waiting.promise;
      await route.continue();
    });
    await open(page, url('intelligence'));
    await page.getByText('Loading the Actions').waitFor();
    expect(await page.getByText('of 50').count()).toBe(0);
    waiting.resolve();
    await page.getByText('The organization uses 0 of 50 Actions').waitFor();
  });

  test('keeps the other tabs when one tab fails', async () => {
    const endInterception = await intercept(page, actionsOfOrganization, (route) =>
      route.fulfill({
        json: { actions: [{ action_id: 'act_1', site_id: siteId, trigger: 'Event', name: 'No list' }] },
      }),
    );
    await open(page, url('general'));
    await open(page, url('intelligence'));
    await page.getByText('This part of the page failed').waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Name').waitFor();
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByText('This part of the page failed').waitFor();
    endInterception();
    await button('Try again').click();
    await page.getByText('No Actions yet').waitFor();
  });

  test('says in place why a screen cannot be loaded, and offers to try again only when that can help', async () => {
    const failed = page.getByText('The dashboard could not load');
    const members = '**/api/dashboard/**/members';
    const endInterception = await intercept(page, members, (route) => route.abort());
    await open(page, shop.url('/members'));
    await failed.waitFor();
    await page.getByText('No connection to the service').waitFor();
    endInterception();
    await button('Try again').click();
    await page.getByRole('row', { name: /member@trouble.example/ }).waitFor();
    await open(page, shop.url('/site_aaaaaaaaaaaaaaaaaaaa/general'));
    await page.getByText('This no longer exists.').waitFor();
    expect(await button('Try again').count()).toBe(0);
    expect(await page.locator('.messages').innerText()).toBe('');
    await button('Back to the assistants').click();
    await page.getByRole('link', { name: 'Website', exact: true }).waitFor();
  });

  test('shows a message and a button without the API, and no empty page', async () => {
    const me = '**/api/dashboard/me';
    await open(page, url('intelligence'));
    const endInterception = await intercept(page, me, (route) => route.abort());
    await page.reload();
    await page.getByText('No connection to the service').waitFor();
    endInterception();
    await button('Try again').click();
    await page.getByText('No Actions yet').waitFor();
  });
});
