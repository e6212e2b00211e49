import type { Dialog } from 'playwright-core';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('answers.example');
const stranger = await dashboard.addOrganization('stranger.example');
const siteId = await shop.addWebsite();
const url = (tab: string) => shop.url(`/${siteId}/${tab}`);
type Stored = {
  readonly domain: string;
  readonly allowed_domains: readonly string[];
  readonly ip_allowlist: readonly string[];
};
const stored = () => dashboard.vaWave<Stored>('assistant', 'show', siteId);

/** Tests that the dashboard answers the questions of an admin where they arise. */
describe('where the widget appears', () => {
  beforeAll(() => shop.enter());

  const verdict = (text: RegExp) => page.getByRole('status').getByText(text).waitFor();

  test('follows a new Domain before it is saved, and repairs Allowed Domains in the same save', async () => {
    await open(page, url('general'));
    await verdict(/^The widget appears on shop\.example\./);
    await page.getByLabel('Domain').fill('www.new.example');
    await verdict(/^Once this is saved, the widget appears on no page\. Browsers allow only pages of the Domain/);
    await button('Save changes').click();
    await verdict(/^The widget appears on no page\./);
    await open(page, shop.url(''));
    await page.getByText('On, but on no page').waitFor();
    await open(page, url('general'));
    await button('Add www.new.example to Allowed Domains').click();
    await verdict(/^Once this is saved, the widget appears on www\.new\.example\./);
    await button('Save changes').click();
    await verdict(/^The widget appears on www\.new\.example\./);
    expect(await stored()).toMatchObject({
      domain: 'www.new.example',
      allowed_domains: ['www.new.example', 'shop.example'],
    });
  });

  test('marks an entry on which it cannot appear, and repairs a Domain that is not in the list', async () => {
    await open(page, url('deploy'));
    await page.getByText('Browsers allow only pages of the Domain, www.new.example: no page can match').waitFor();
    await button('Remove www.new.example').click();
    await verdict(/^Once this is saved, the widget appears on no page\./);
    await button('Use shop.example as the Domain').click();
    await verdict(/^Once this is saved, the widget appears on shop\.example\./);
    await button('Save changes').click();
    await verdict(/^The widget appears on shop\.example\./);
    expect(await stored()).toMatchObject({ domain: 'shop.example', allowed_domains: ['shop.example'] });
  });

  test('depends on the status, the server secret and the suspension, and is known before an assistant is created', async () => {
    await page.getByLabel('Session Signed').click();
    await verdict(/There is no server secret/);
    await button('Discard changes').click();
    await open(page, url('general'));
    await page.getByRole('checkbox', { name: 'On' }).click();
    await verdict(/The Assistant Status is off\./);
    await button('Switch the assistant on').click();
    await verdict(/^The widget appears on shop\.example\./);
    await open(page, shop.url('?new=assistant'));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The Domain is empty, so browsers block the widget everywhere.').waitFor();
    await dialog.getByLabel('Domain').fill('*.shop.example');
    await dialog.getByText('without wildcards').waitFor();
    await dialog.getByLabel('Domain').fill('https://SHOP.example/start');
    await dialog.getByText('the widget appears on shop.example.').waitFor();
    await dialog.getByLabel('Domain').fill('');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dashboard.vaWave('org', 'suspend', shop.orgId, '--yes');
    await page.reload();
    await page.getByText('The organization is suspended').waitFor();
    await page.getByText('On, but on no page').waitFor();
    await dashboard.vaWave('org', 'resume', shop.orgId, '--yes');
    await page.reload();
    await page.getByText('On', { exact: true }).waitFor();
  });

  test('says of a link to an organization of others that it is not accessible, and shows nothing of another one', async () => {
    await dashboard.vaWave('member', 'remove', '--org', stranger.orgId, '--email', stranger.email('admin'));
    await page.goto(stranger.url(`/${siteId}/general`));
    await page.getByText('This organization does not exist, or you are not a member of it').waitFor();
    expect(
      await page
        .getByText('Website')
        .or(page.getByRole('button', { name: 'Create' }))
        .count(),
    ).toBe(0);
    await page.getByRole('button', { name: 'Open Corner Shop' }).first().click();
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
  });
});

describe('what is typed', () => {
  beforeAll(() => shop.enter());

  test('into a list and not added is saved, or marked when it cannot be', async () => {
    await open(page, url('deploy'));
    await page.getByLabel('New address').fill('300.1.1.1');
    await page.getByLabel('New domain').fill('HTTPS://Staging.shop.example/');
    await button('Save changes').click();
    await page.getByText('300.1.1.1: Must be an IPv4 or IPv6 address').waitFor();
    await page.getByLabel('New address').fill('203.0.113.9');
    await page.getByText('300.1.1.1').waitFor({ state: 'detached' });
    await button('Save changes').click();
    await button('Remove 203.0.113.9').waitFor();
    await button('Remove staging.shop.example').waitFor();
    expect(await page.getByLabel('New domain').inputValue()).toBe('');
    expect(await stored()).toMatchObject({
      allowed_domains: ['shop.example', 'staging.shop.example'],
      ip_allowlist: ['203.0.113.9'],
    });
  });

  test('is listed on other screens, and the browser, Cancel and the logout ask before it is discarded', async () => {
    await open(page, url('general'));
    await page.getByLabel('Rate Limit (requests/hour)').fill('ten');
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Half');
    await page.getByRole('link', { name: 'General, Website' }).click();
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('ten');
    await page.getByRole('link', { name: 'Action (new), Website' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half');
    const asked = Promise.withResolvers<string>();
    page.once('dialog', (dialog: Dialog) => {
      asked.resolve(dialog.type());
      void dialog.dismiss();
    });
    await page.close({ runBeforeUnload: true });
    expect(await asked.promise).toBe('beforeunload');
    await button('Cancel').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half');
    await discard();
    await page.getByRole('link', { name: 'Action (new), Website' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Account of admin@shops.example' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log out and discard what is not saved?' });
    await dialog.getByText('General, Website').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('link', { name: 'General, Website' }).click();
    await button('Discard changes').click();
    expect(dashboard.admin.problems).toEqual([]);
  });
});
