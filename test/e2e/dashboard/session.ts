import type { Locator, Page } from 'playwright-core';
import type { OrganizationDashboard, StartedDashboard } from './started-dashboard.ts';

/** Tests logins, roles, and the input of the user when a session ends. */
export function testSessions(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let siteId: string;

  beforeAll(async () => {
    dashboard = await started().addOrganization('session.example', 'free');
    siteId = await dashboard.addWebsite();
    await dashboard.vaWave(
      'action',
      'create',
      ...['--site', siteId, '--trigger', 'Event', '--name', 'Tell the CRM'],
      ...['--url', dashboard.receiver.url('/events'), '--event', 'conversation.started'],
    );
  });

  const url = (tab: string) => `${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}/${siteId}/${tab}`;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const me = (token: string) =>
    fetch(`${dashboard.service.baseUrl}/api/dashboard/me`, { headers: { authorization: `Bearer ${token}` } });
  /** Returns the stored login of the tab. */
  const stored = (page: Page) =>
    page.evaluate<{ access_token: string; id_token: string; refresh_token: string }>(
      `JSON.parse(sessionStorage.getItem(Object.keys(sessionStorage).find((key) => key.startsWith('oidc.user:'))))`,
    );
  const store = (page: Page, change: object) =>
    page.evaluate(`(() => {
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'));
      const user = { ...JSON.parse(sessionStorage.getItem(key)), ...${JSON.stringify(change)} };
      sessionStorage.setItem(key, JSON.stringify(user));
    })()`);

  test('refuses a wrong password at the login', async () => {
    const { page, context } = await dashboard.newPage();
    await page.goto(`${dashboard.service.baseUrl}/dashboard/`);
    await page.getByLabel('Email').fill(dashboard.email('admin'));
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Incorrect email or password.').waitFor();
    await context.close();
  });

  test('accepts only the access token, and neither the ID token nor an altered token nor none', async () => {
    const { page, context } = await dashboard.logIn('admin');
    const { access_token, id_token } = await stored(page);
    expect((await me(access_token)).status).toBe(200);
    expect((await me(id_token)).status).toBe(403);
    expect((await me(`${access_token.slice(0, -4)}AAAA`)).status).toBe(401);
    expect((await me('')).status).toBe(401);
    expect(page.url()).not.toMatch(/token|code=|state=/);
    await context.close();
  });

  test('shows a member everything, without a button that changes anything', async () => {
    const { page, context, problems } = await dashboard.logIn('member');
    await page.goto(url('general'));
    await page.getByText('Only admins of the organization can change it').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await button(page, 'Save changes').count()).toBe(0);
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByText('Put the widget into your page').waitFor();
    expect(await button(page, 'Add domain').count()).toBe(0);
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await button(page, 'View Tell the CRM').waitFor();
    for (const name of ['Create Action', 'Test Tell the CRM', 'More for Tell the CRM']) {
      expect(await button(page, name).count()).toBe(0);
    }
    expect(await page.getByRole('checkbox', { name: 'Tell the CRM enabled' }).isDisabled()).toBe(true);
    await button(page, 'View Tell the CRM').click();
    await button(page, 'Back to the Actions').waitFor();
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('locks Session Signed on the free plan, and shows the reason', async () => {
    const { page, context } = await dashboard.logIn('admin');
    await page.goto(url('deploy'));
    const locked = page.getByRole('radio', { name: 'Session Signed' });
    await locked.waitFor();
    expect(await locked.isDisabled()).toBe(true);
    await page.getByText('A paid feature: this organization is on the free plan').waitFor();
    await context.close();
  });

  test('renews an expired access token without a message', async () => {
    const { page, context } = await dashboard.logIn('admin');
    const before = await stored(page);
    await store(page, { expires_at: 1 });
    await page.goto(url('general'));
    await page.getByLabel('Name').waitFor();
    const after = await stored(page);
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    await context.close();
  });

  test('asks for a login when the session ends during an edit, and keeps the edit', async () => {
    const { page, context } = await dashboard.logIn('admin');
    await page.goto(url('general'));
    await page.getByLabel('Name').fill('Typed before the end');
    await store(page, { access_token: 'gone', refresh_token: 'gone', expires_at: 1 });
    await context.clearCookies();
    await button(page, 'Save changes').click();
    await page.getByRole('dialog').getByText('Your input is kept in this tab').waitFor();
    await button(page, 'Log in again').click();
    await dashboard.fillLogin(page, 'admin');
    await page.getByLabel('Name').waitFor();
    expect(page.url()).toBe(url('general'));
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the end');
    await button(page, 'Save changes').click();
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    await context.close();
  });

  test('reports to the second tab that another tab has changed the Action, and loses no change', async () => {
    const { page, context } = await dashboard.logIn('admin');
    await page.goto(url('intelligence'));
    await button(page, 'Edit Tell the CRM').click();
    await page.getByLabel('Name').fill('Mine');
    const other = await context.newPage();
    await other.goto(url('intelligence'));
    await other.getByRole('checkbox', { name: 'Tell the CRM enabled' }).click();
    await other.getByText('Tell the CRM is off.').waitFor();
    await button(page, 'Save changes').click();
    await page.getByText('Enabled: on → off').waitFor();
    await button(page, 'Keep my changes').click();
    await button(page, 'Save changes').click();
    await page.getByText('Mine was saved.').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Mine enabled' }).isChecked()).toBe(false);
    await context.close();
  });

  test('refuses a removed member at the next request', async () => {
    const { page, context } = await dashboard.logIn('member');
    await dashboard.vaWave('member', 'remove', '--org', dashboard.orgId, '--email', dashboard.email('member'));
    await page.reload();
    await page.getByText('You are logged in, but you are not a member of an organization yet').waitFor();
    const member = ['--email', dashboard.email('member'), '--role', 'member'];
    await dashboard.vaWave('member', 'add', '--org', dashboard.orgId, ...member);
    await context.close();
  });

  test('ends the session of the login and the refresh token at the logout', async () => {
    const { page, context } = await dashboard.logIn('admin');
    const { issuer, client_id }: { issuer: string; client_id: string } = JSON.parse(
      await (await fetch(`${dashboard.service.baseUrl}/dashboard/config.json`)).text(),
    );
    const { refresh_token } = await stored(page);
    await button(page, `Account of ${dashboard.email('admin')}`).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.goto(`${dashboard.service.baseUrl}/dashboard/`);
    await page.getByLabel('Password').waitFor();
    const renewal = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
    });
    expect(renewal.status).toBe(400);
    await context.close();
  });

  test('allows everything from the login to a saved change with a keyboard', async () => {
    const { page, context } = await dashboard.newPage();
    await page.goto(`${dashboard.service.baseUrl}/dashboard/`);
    await page.getByLabel('Email').waitFor();
    const tabTo = async (target: Locator) => {
      await target.waitFor();
      for (let count = 0; count < 60; count++) {
        await page.keyboard.press('Tab');
        if ((await target.and(page.locator(':focus')).count()) > 0) return;
      }
      throw new Error(`No way by keyboard to ${target}`);
    };
    await tabTo(page.getByLabel('Email'));
    await page.keyboard.type(dashboard.email('admin'));
    await tabTo(page.getByLabel('Password'));
    await page.keyboard.type(dashboard.password('admin'));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('link', { name: 'Typed before the end' }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel('Rate Limit (requests/hour)'));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('250');
    await page.keyboard.press('Enter');
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    await page.reload();
    await tabTo(page.getByRole('tab', { name: 'General' }));
    await page.keyboard.press('ArrowRight');
    await tabTo(page.getByLabel('New domain'));
    await page.keyboard.type('www.shop.example');
    await page.keyboard.press('Enter');
    await button(page, 'Remove www.shop.example').waitFor();
    await tabTo(button(page, 'Save changes'));
    await page.keyboard.press('Enter');
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    await page.reload();
    await tabTo(page.getByRole('tab', { name: 'Deploy' }));
    await page.keyboard.press('ArrowRight');
    await tabTo(button(page, 'Test Mine'));
    await page.keyboard.press('Enter');
    await page.getByText('Delivered, HTTP status 200').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await context.close();
  });
}
