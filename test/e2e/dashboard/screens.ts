import { axeFindings, type OrganizationDashboard, type StartedDashboard, type Visitor } from './started-dashboard.ts';

/** Finds words of statuses that are broken over two lines. */
const BROKEN_WORDS = `[...document.querySelectorAll('.words')].flatMap((element) =>
  [...element.childNodes].flatMap((node) =>
    [...node.textContent.matchAll(/[a-z]{2,12}/gi)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word] : [];
    })))`;

/** Tests every screen with axe, the page's policy, and a narrow phone without sideways scrolling. */
export function testScreens(started: () => StartedDashboard, full: boolean): void {
  let dashboard: OrganizationDashboard;
  let admin: Visitor;

  beforeAll(async () => {
    dashboard = await started().addOrganization('screens.example');
    const siteId = await dashboard.addWebsite('--mode', 'Session Signed');
    await dashboard.vaWave(
      'action',
      'create',
      ...['--site', siteId, '--trigger', 'Form', '--name', 'Contact us', '--url', dashboard.receiver.url('/contact')],
      ...['--field', 'email:Email:Email:required'],
    );
    admin = await dashboard.logIn('admin');
  });

  afterAll(() => admin?.context.close());

  const looks = [
    ['light', 1200],
    ['dark', 320],
    ['dark', 1200],
    ['light', 320],
  ] as const;

  test.each(full ? looks : looks.slice(0, 2))('is correct in %s at %d pixels', async (colorScheme, width) => {
    const { page, problems } = admin;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const found: Record<string, readonly string[]> = {};
    const look = async (screen: string) => {
      found[screen] = await axeFindings(page);
      const sideways = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      const broken = await page.evaluate<string[]>(BROKEN_WORDS);
      if (broken.length > 0) found[screen] = [...(found[screen] ?? []), `broken within: ${broken.join(' ')}`];
      if (sideways > 0) found[screen] = [...(found[screen] ?? []), `${sideways} pixels too wide`];
    };
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    await page.goto(`${dashboard.service.baseUrl}/dashboard/`);
    await page.getByRole('link', { name: 'Website' }).waitFor();
    await look('assistants');
    await button('Create assistant').click();
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Is required.').waitFor();
    await look('create assistant, refused');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    // A tab opens without a load of the page, which takes longer than axe.
    await page.getByRole('link', { name: 'Website' }).click();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Name').waitFor();
    await look('general');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByRole('heading', { name: 'Mint session tokens' }).waitFor();
    await page.getByText('The service accepted no request').waitFor();
    await look('deploy, Session Signed');
    await page.getByRole('radio', { name: 'Allowed Websites' }).click();
    await page.getByLabel('New domain').waitFor();
    await look('deploy, Allowed Websites');
    // The list of a new assistant contains its Domain.
    await page.getByRole('button', { name: /^Remove / }).click();
    await page.getByText('The list is empty').waitFor();
    await look('deploy, empty list');
    await button('Discard changes').click();
    await button(
      (await button('Generate Server Secret').count()) > 0 ? 'Generate Server Secret' : 'Regenerate Server Secret',
    ).click();
    if ((await page.getByText('Regenerate the server secret?').count()) > 0) {
      await look('regenerate?');
      await button('Regenerate and stop the old secret').click();
    }
    await page.getByText('Copy the server secret now').waitFor();
    await button('Done').click();
    await page.getByText('The secret would be lost').waitFor();
    await look('server secret, shown once');
    await page.getByLabel('I have stored it').click();
    await button('Done').click();
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await button('Test Contact us').click();
    await page.getByText('Delivered, HTTP status 200').waitFor();
    await look('test');
    await page.keyboard.press('Escape');
    await look('actions');
    await button('More for Contact us').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Delete Contact us?').waitFor();
    await look('delete?');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    await button('Edit Contact us').click();
    await page.getByLabel('Endpoint URL').waitFor();
    await look('edit Action');
    await button('Cancel').click();
    await button('Create Action').first().click();
    for (const trigger of ['Event', 'AI-decided', 'Form']) {
      await page.getByRole('radio', { name: trigger }).click();
      await look(`create Action, ${trigger}`);
    }
    expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([]);
    expect(Object.keys(found).length).toBeGreaterThan(11);
    expect(problems).toEqual([]);
  });

  test('has a policy that allows nothing inline and nothing from other origins', async () => {
    const response = await fetch(`${dashboard.service.baseUrl}/dashboard/any/screen`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'self'; connect-src 'self' /);
    expect(policy).not.toMatch(/unsafe|\*|data:|blob:/);
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|style=/);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect((await fetch(`${dashboard.service.baseUrl}/dashboard/missing.js`)).status).toBe(403);
  });
}
