import { HELP_PAGES } from '../../../dashboard/src/parts/help-pages.ts';
import { AUDIT_PER_PAGE } from '../../../src/contract/limits.ts';
import { until } from '../widget/harness.ts';
import { axeFindings, type OrganizationDashboard, type StartedDashboard, type Visitor } from './started-dashboard.ts';

/** Tests the screens of an organization that only read, and the theme. */
export function testOrganization(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let siteId: string;
  let admin: Visitor;

  beforeAll(async () => {
    dashboard = await started().addOrganization('organization.example');
    siteId = await dashboard.addWebsite();
    admin = await dashboard.logIn('admin');
  });

  afterAll(() => admin?.context.close());

  const url = (screen: string) => `${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}/${screen}`;
  const looksRight = async ({ page, problems }: Visitor) => {
    for (const width of [390, 1366]) {
      await page.setViewportSize({ width, height: 768 });
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    }
    expect(problems).toEqual([]);
  };

  test('shows a member the members, and the audit trail only to admins', async () => {
    const member = await dashboard.logIn('member');
    const { page } = member;
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row', { name: /admin@organization.example Admin since/ }).waitFor();
    await page.getByRole('row', { name: /member@organization.example Member since/ }).waitFor();
    expect(await page.title()).toBe('Members of Corner Shop · va-wave');
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0);
    await looksRight(member);
    // Links, also those of menus, open in the page.
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('button', { name: 'Organization Corner Shop' }).click();
    await page.getByRole('menuitem', { name: 'Corner Shop (member)' }).click();
    await page.getByRole('link', { name: 'Website' }).click();
    await page.getByRole('link', { name: 'Assistants' }).click();
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
    expect(await page.evaluate<boolean>('window.isSamePage')).toBe(true);
    await page.goto(url('audit'));
    await page.getByText('Only admins of the organization may do this.').waitFor();
    await member.context.close();
  });

  test('shows the changes of an organization, page by page', async () => {
    const { page } = admin;
    await page.goto(url(`${siteId}/intelligence/new`));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Find an order');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill('https://crm.shop.com/hook');
    await page.getByRole('button', { name: 'Create Action' }).click();
    await page.getByText('Find an order was created.').waitFor();
    // Each request changes the rate limit, as a save on the General tab does.
    await page.evaluate(`(async () => {
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'));
      const headers = { authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem(key)).access_token };
      for (let version = 1; version <= ${AUDIT_PER_PAGE}; version++) {
        const body = JSON.stringify({ version, change: { hourly_rate_limit: 100 + version } });
        const path = '/api/dashboard/organizations/${dashboard.orgId}/assistants/${siteId}';
        const { status } = await fetch(path, { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body });
        if (status !== 200) throw new Error('A change was answered with ' + status);
      }
    })()`);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    const rows = page.getByRole('table', { name: 'Changes' }).locator('tbody tr');
    await rows.first().getByText('Changed the assistant Website: Rate Limit').waitFor();
    expect(await rows.first().innerText()).toContain('by admin@organization.example');
    expect(await rows.count()).toBe(AUDIT_PER_PAGE);
    await looksRight(admin);
    await page.getByRole('button', { name: 'Show earlier changes' }).click();
    await rows.nth(AUDIT_PER_PAGE).getByText('Created the Action Find an order').waitFor();
    expect(await page.getByRole('button', { name: 'Show earlier changes' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Find an order' }).click();
    await page.getByLabel('Endpoint URL').waitFor();
  });

  test('leads to help that has no dead link', async () => {
    const { page, context } = admin;
    const linked = new Set<string>();
    for (const screen of [`${siteId}/deploy`, `${siteId}/intelligence`, `${siteId}/intelligence/new`]) {
      await page.goto(url(screen));
      if (screen.endsWith('new')) await page.getByRole('radio', { name: 'Event' }).click();
      const links = page.getByRole('link', { name: /^Help: / });
      await links.first().waitFor();
      for (const link of await links.all()) linked.add((await link.getAttribute('href')) ?? '');
    }
    expect(linked.size).toBe(4);
    const [help] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Help: Event Actions' }).click(),
    ]);
    await help.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    await looksRight({ ...admin, page: help });
    await help.close();
    const helpUrl = (name: string) => new URL(`/dashboard/help/${name}.html`, dashboard.service.baseUrl).href;
    const pages = new Map<string, string>();
    for (const name of HELP_PAGES) pages.set(helpUrl(name), await (await fetch(helpUrl(name))).text());
    const links = [...pages].flatMap(([base, html]) =>
      [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => new URL(href, base)),
    );
    const internal = links.filter(({ origin }) => origin === dashboard.service.baseUrl);
    expect(internal.length).toBeGreaterThan(5);
    const dead = internal.filter(({ href, hash }) => {
      const html = pages.get(href.replace(hash, ''));
      return html === undefined || (hash !== '' && !html.includes(` id="${hash.slice(1)}"`));
    });
    expect(dead.map(String)).toEqual([]);
    expect([...linked].filter((path) => !pages.has(new URL(path, dashboard.service.baseUrl).href))).toEqual([]);
  });

  test('keeps the theme that the user chooses, and has it before any other script runs', async () => {
    const { page } = admin;
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const choose = async (theme: string) => {
      await page.getByRole('button', { name: /^Account of / }).click();
      await page.getByRole('menuitemcheckbox', { name: theme }).click();
    };
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(22, 29, 38)'];
    await page.setViewportSize({ width: 1366, height: 768 });
    await page.goto(url('members'));
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await background()).toBe(light);
    await choose('Dark');
    expect(await background()).toBe(dark);
    expect(await axeFindings(page)).toEqual([]);
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload();
    await page.getByText('The dashboard is loading.').waitFor();
    expect(await background()).toBe(dark);
    await page.unroute('**/assets/*.js');
    await page.reload();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    await choose('As the system');
    expect(await background()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await background()) === dark);
    await choose('Light');
    expect(await background()).toBe(light);
    expect(admin.problems).toEqual([]);
  });
}
