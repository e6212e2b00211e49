import { byDay, full } from '../../harness/full.ts';
import { dashboard } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('many.example');
const siteId = await shop.addWebsite('--name', 'Website 1');
for (let index = 2; index <= 12; index++) {
  const words = ['--name', `Website ${index}`, '--domain', `shop${index}.example`];
  await shop.addWebsite(...words, ...(index === 12 ? ['--disable'] : []));
}
for (let index = 1; index <= 11; index++) {
  const url = dashboard.receiver.url(`/crm-${index}`);
  await shop.addAction(siteId, 'Event', `Tell ${index}`, '--url', url, '--event', 'contact.created');
}
const SCHEMA = { properties: { number: { type: 'string', pattern: '^[0-9]+$' } }, required: ['number'] };
const words = ['--description', 'Finds an order by its number', '--disable', '--parameters'];
await shop.addAction(siteId, 'AI-decided', 'Find an order', ...words, JSON.stringify(SCHEMA));
const visitor = await dashboard.newPage();
const { page } = visitor;

/** Uses an organization with many assistants and Actions, and a member of it. */
describe('a member of an organization with many assistants and Actions', () => {
  beforeAll(() => shop.logIn(visitor, 'member'));
  afterAll(() => visitor.context.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const rows = (table: string) => page.getByRole('table', { name: table }).locator('tbody tr').count();
  const choose = async (label: string, option: string) => {
    await page.getByRole('button', { name: new RegExp(`^${label} `) }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  test('shows twelve or more assistants as rows, and finds one of them', async () => {
    await open(page, shop.url(''));
    await page.getByRole('table', { name: 'Assistants' }).waitFor();
    expect(await rows('Assistants')).toBe(12);
    await page.getByText('The organization uses 12 of 100 assistants.').waitFor();
    await page.getByPlaceholder('Find assistants').fill('SHOP3');
    await page.getByText('(1/12)').waitFor();
    await page.getByRole('link', { name: 'Website 3' }).waitFor();
    await page.getByPlaceholder('Find assistants').fill('');
  });

  const NAMES = [
    ['\u0130stanbul', 'istanbul'],
    ['Zu\u0308rich', 'Z\u00fcrich'],
    ['Z\u00fcrich', 'zurich'],
    ['\uff2d\uff41\uff52\uff4b\uff54', 'markt '],
    ['Za\u200bgreb', '\ufeffZagreb'],
    ['Shop\u2122 \u2116', 'shoptm no'],
    ['\u0645\u064f\u062a\u062c\u0631', '\u0645\u062a\u062c\u0631'],
  ] as const;
  test.each(byDay(1, NAMES))('finds the name %j by %j', async (name, typed) => {
    await dashboard.vaWave('assistant', 'update', siteId, '--name', name);
    await open(page, shop.url('/members'));
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await open(page, shop.url(''));
    await page.getByPlaceholder('Find assistants').fill(typed);
    await page
      .getByRole('link', { name: name.normalize('NFC') })
      .or(page.getByRole('link', { name }))
      .waitFor();
    expect(await page.getByRole('link', { name: 'Website 2' }).count()).toBe(0);
    await page.getByPlaceholder('Find assistants').fill('');
    await dashboard.vaWave('assistant', 'update', siteId, '--name', 'Website 1');
  });

  test('shows many Actions as rows with filters for name, trigger and state', async () => {
    await open(page, shop.url(`/${siteId}/intelligence`));
    await page.getByRole('table', { name: 'Actions' }).waitFor();
    expect(await rows('Actions')).toBe(12);
    expect((await page.getByRole('table', { name: 'Actions' }).boundingBox())?.height).toBeLessThan(750);
    await choose('Trigger', 'AI-decided');
    await page.getByText('(1/12)').waitFor();
    await choose('State', 'On');
    await page.getByText('No Actions match the search').first().waitFor();
    await button('Show all').click();
    expect(await rows('Actions')).toBe(12);
  });

  test('shows a list whose address has filters and an order that do not exist', async () => {
    for (const word of ['__proto__', 'constructor', 'Nothing']) {
      await open(page, shop.url(`?status=${word}&sort=${word}&order=${word}`));
      await page.getByText('(12)').waitFor();
      expect(await rows('Assistants')).toBe(12);
    }
  });

  test('searches a list also while the browser refuses to change the address, as Safari does after many changes', async () => {
    await open(page, shop.url(''));
    await page.getByText('(12)').waitFor();
    await page.evaluate("history.replaceState = () => { throw new DOMException('', 'SecurityError'); }");
    await page.getByPlaceholder('Find assistants').fill('shop3');
    await page.getByText('(1/12)').waitFor();
    await page.getByPlaceholder('Find assistants').fill('');
    await page.getByText('(12)').waitFor();
    await page.evaluate('delete history.replaceState');
    expect(visitor.problems).toEqual([]);
  });

  test('says of an address that is not encoded correctly that nothing is there', async () => {
    await open(page, shop.url('/%E0%A4%A/general'));
    await page.getByText('This no longer exists').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('sorts rows by a column, and keeps the search and the order in the address', async () => {
    await open(page, shop.url(`/${siteId}/intelligence`));
    await page.getByRole('table', { name: 'Actions' }).waitFor();
    const first = () => page.getByRole('table', { name: 'Actions' }).locator('tbody th').first().innerText();
    expect(await first()).toBe('Find an order');
    await page.getByRole('columnheader', { name: 'Endpoint' }).getByRole('button').click();
    await page.waitForURL(/sort=endpoint/);
    expect(await first()).toBe('Tell 1');
    await page.getByRole('columnheader', { name: 'Endpoint' }).getByRole('button').click();
    await page.waitForURL(/order=descending/);
    expect(await first()).toBe('Find an order');
    await page.getByPlaceholder('Find Actions').fill('Tell');
    await choose('State', 'On');
    for (const again of [() => page.reload(), () => page.getByRole('link', { name: 'Tell 11' }).click()]) {
      await again();
      if (page.url().includes('act_')) await page.goBack();
      await page.getByText('(11/12)').waitFor();
      expect(await first()).toBe('Tell 11');
      expect(await page.getByPlaceholder('Find Actions').inputValue()).toBe('Tell');
    }
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await choose('State', 'State: all');
  });

  const widths = [
    [320, 'cards'],
    [768, 'rows'],
    [390, 'cards'],
    [1366, 'rows'],
  ] as const;
  test.each(full ? widths : widths.slice(0, 2))(
    'shows every command of %d pixels as %s, without scrolling sideways',
    async (width, look) => {
      await page.setViewportSize({ width, height: 800 });
      await open(page, shop.url(''));
      await page.getByText('(12)').waitFor();
      if (full) expect(await flaws(page)).toEqual([]);
      await open(page, shop.url(`/${siteId}/intelligence`));
      await page.getByText('(12)').waitFor();
      expect(await page.getByRole('table', { name: 'Actions' }).count()).toBe(look === 'rows' ? 1 : 0);
      const outside = await page
        .locator('main')
        .getByRole('button', { name: /^View / })
        .or(page.getByRole('checkbox', { name: /enabled$/ }))
        .evaluateAll((nodes, edge) => nodes.filter((node) => node.getBoundingClientRect().right > edge).length, width);
      expect(outside).toBe(0);
      expect(await flaws(page)).toEqual([]);
    },
  );

  test('shows a member the same as an admin, including parameters, without any change', async () => {
    const nothingToChange = async () => {
      expect(await page.locator('main input:not([disabled]), main textarea:not([disabled])').count()).toBe(0);
      for (const name of ['Save changes', 'Add domain']) expect(await button(name).count()).toBe(0);
    };
    await page.setViewportSize({ width: 1200, height: 900 });
    for (const name of ['Create Action', 'Test Find an order', 'More for Find an order']) {
      expect(await button(name).count()).toBe(0);
    }
    expect(await page.getByRole('checkbox', { name: 'Tell 1 enabled' }).isDisabled()).toBe(true);
    await button('View Find an order').click();
    const parameters = page.getByRole('region', { name: 'Parameters as JSON Schema' });
    expect(JSON.parse(await parameters.innerText())).toEqual({ type: 'object', ...SCHEMA });
    await page.getByText('Action ID').waitFor();
    await nothingToChange();
    await button('Back to the Actions').click();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByText('Only admins of the organization can change it').waitFor();
    await page.getByLabel('Name').waitFor();
    await nothingToChange();
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByText('Put the widget into your page').waitFor();
    expect(await button('Save changes').or(button('Add domain')).count()).toBe(0);
  });

  test('shows a member the members, but not the audit trail, and refuses a removed member', async () => {
    await open(page, shop.url(''));
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row', { name: /member@many.example Member since/ }).waitFor();
    expect(await page.title()).toBe('Members of Corner Shop · va-wave');
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0);
    // Links, also those of menus, open in the page.
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('button', { name: 'Organization Corner Shop' }).click();
    await page.getByRole('menuitem', { name: 'Corner Shop, member' }).click();
    await page.getByRole('link', { name: 'Website 3' }).click();
    await page.getByRole('link', { name: 'Assistants' }).click();
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
    expect(await page.evaluate<boolean>('window.isSamePage')).toBe(true);
    await open(page, shop.url('/audit'));
    await page.getByText('Only admins of the organization may do this.').waitFor();
    expect(await button('Try again').count()).toBe(0);
    await dashboard.vaWave('member', 'remove', '--org', shop.orgId, '--email', shop.email('member'));
    await page.reload();
    await page.getByText('You are logged in, but you are not a member of an organization yet').waitFor();
    await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});
