import { HELP_PAGES } from '../../../dashboard/src/help-pages.ts';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const { admin, service } = dashboard;
const shop = await dashboard.addOrganization('organization.example');
const siteId = await shop.addWebsite();
const AUDIT = '**/api/dashboard/organizations/*/audit*';

/** Tests the audit trail, the help, and the theme. */
describe('the organization and the theme', () => {
  beforeAll(() => shop.enter());

  test('shows the changes of an organization, page by page', async () => {
    await open(page, shop.url(`/${siteId}/intelligence/new`));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Find an order');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill('https://crm.shop.com/hook');
    await button('Create Action').click();
    await page.getByText('Find an order was created.').waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Rate Limit (requests/hour)').fill('101');
    await button('Save changes').click();
    await page.getByText('Saved. The change takes effect').waitFor();
    // A page of the service has more changes than a test makes, so each change becomes a page.
    const asked: (string | null)[] = [];
    const endInterception = await intercept(page, AUDIT, async (route) => {
      const after = new URL(route.request().url()).searchParams.get('after');
      const response = await route.fetch({ url: route.request().url().replace(/\?.*/, '') });
      const { records } = await response.json();
      asked.push(after);
      const json =
        after === null ? { records: records.slice(0, 1), next: 'page-2' } : { records: records.slice(1), next: null };
      await route.fulfill({ response, json });
    });
    await page.getByRole('link', { name: 'Audit trail' }).click();
    const rows = page.getByRole('table', { name: 'Changes' }).locator('tbody tr');
    await rows.first().getByText('Rate Limit: 100 → 101').waitFor();
    expect(await rows.first().innerText()).toContain(`by ${shop.email('admin')}`);
    expect(await rows.count()).toBe(1);
    await page.getByText('(1+)', { exact: true }).waitFor();
    await button('Show earlier changes').click();
    await rows.nth(1).getByText('Created the Action Find an order').waitFor();
    expect(await button('Show earlier changes').count()).toBe(0);
    expect(await page.getByText('+)').count()).toBe(0);
    expect(asked).toEqual([null, 'page-2']);
    endInterception();
    await page.getByRole('link', { name: 'Find an order' }).click();
    await page.getByLabel('Endpoint URL').waitFor();
  });

  test('finds changes by person, kind, name and value, and has those of members by the operator', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `Shop ${index} ${'\u05d0'.repeat(index)}`);
    await open(page, shop.url(`/${siteId}/general`));
    for (const name of [...names, 'Website']) {
      await page.getByLabel('Name').fill(name);
      await button('Save changes').click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByLabel('Email').fill(shop.email('member'));
    const command = page.getByRole('region', { name: 'Command that changes a member' });
    const wish = `npx --no-install va-wave member add --org ${shop.orgId} --email ${shop.email('member')} --role admin`;
    await command.getByText(wish, { exact: true }).waitFor();
    expect(await flaws(page)).toEqual([]);
    await dashboard.vaWave(...wish.split(' ').slice(3));
    await page.getByLabel('Email').fill("o'neil; rm -rf /");
    await command.getByText("--email 'o'\\''neil; rm -rf /' --role admin").waitFor();
    await page.getByRole('link', { name: 'Audit trail' }).click();
    const rows = page.getByRole('table', { name: 'Changes' }).locator('tbody tr');
    await rows
      .first()
      .getByText(`Changed the role of the member ${shop.email('member')}`)
      .waitFor();
    await rows.first().getByText('Role: member → admin').waitFor();
    const find = page.getByLabel('Find changes');
    await find.fill('shop 7');
    await rows.nth(2).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
    await find.fill('');
    for (const [label, option, first] of [
      ['Person', 'operator', 'Changed the role of the member'],
      ['Change', 'Added the member', 'Added the member'],
    ] as const) {
      await page.getByRole('button', { name: label }).click();
      await page.getByRole('option', { name: option }).click();
      await rows.nth(5).waitFor({ state: 'detached' });
      await rows.first().getByText(first).waitFor();
    }
    expect(page.url()).toContain('person=operator&change=Added+the+member');
    expect(await flaws(page)).toEqual([]);
  });

  test('searches the twelve choices of a filter, and counts the changes that are not shown yet', async () => {
    const endInterception = await intercept(page, AUDIT, async (route) => {
      const response = await route.fetch();
      const [change] = (await response.json()).records;
      const emails = Array.from({ length: 12 }, (_, index) => `person-${index + 1}@shop.com`);
      const records = emails.map((email) => ({ ...change, by: { ...change.by, email } }));
      await route.fulfill({ response, json: { records, next: 'page-2' } });
    });
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByLabel('Email').waitFor();
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByText('(12+)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Person' }).click();
    await page.getByLabel('Find in Person').fill('person-7');
    await page.getByRole('option', { name: 'person-12@shop.com' }).waitFor({ state: 'detached' });
    await page.getByRole('option', { name: 'person-7@shop.com' }).click();
    await page.getByText('(1/12+)', { exact: true }).waitFor();
    endInterception();
  });

  test('leads to help pages, which have the sample receivers', async () => {
    const linked = new Set<string>();
    for (const screen of ['deploy', 'intelligence', 'intelligence/new']) {
      await open(page, shop.url(`/${siteId}/${screen}`));
      if (screen.endsWith('new')) await page.getByRole('radio', { name: 'Event' }).click();
      const links = page.getByRole('link', { name: /^(Help|Sample receivers): / });
      await links.first().waitFor();
      for (const link of await links.all()) linked.add((await link.getAttribute('href')) ?? '');
    }
    expect(linked.size).toBe(5);
    const [help] = await Promise.all([
      admin.context.waitForEvent('page'),
      page.getByRole('link', { name: 'Help: Event Actions' }).click(),
    ]);
    await help.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    await help.setViewportSize({ width: 390, height: 768 });
    expect(await flaws(help)).toEqual([]);
    await help.close();
    await discard();
    // The links of the documents are checked where they are (test/service/docs).
    for (const path of [...linked, ...HELP_PAGES.map((name) => `/dashboard/help/${name}.html`)]) {
      expect([path, (await fetch(`${service.baseUrl}${path}`)).status]).toEqual([path, 200]);
    }
    const receiving = await (await fetch(`${service.baseUrl}/dashboard/help/receiving.html`)).text();
    const [, example = ''] = /<a href="([\w.-]+\.txt)"/.exec(receiving) ?? [];
    const file = await fetch(`${service.baseUrl}/dashboard/help/${example}`);
    expect(file.headers.get('content-type')).toMatch(/^text\/plain/);
  });

  test('keeps the theme that the user chooses, and has it before any other script runs', async () => {
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const choose = async (theme: string) => {
      await page.getByRole('button', { name: /^Account of / }).click();
      await page.getByRole('menuitemcheckbox', { name: theme }).click();
    };
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(22, 29, 38)'];
    expect(await background()).toBe(light);
    await choose('Dark');
    expect(await background()).toBe(dark);
    const endInterception = await intercept(page, '**/assets/*.js', (route) => route.abort());
    await page.reload();
    await page.getByText('The dashboard is loading.').waitFor();
    expect(await background()).toBe(dark);
    endInterception();
    await page.reload();
    await choose('As the system');
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await background()) === dark);
    await choose('Light');
    expect(await background()).toBe(light);
    await choose('As the system');
    expect(admin.problems).toEqual([]);
  });
});
