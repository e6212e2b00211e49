import type { Locator } from 'playwright-core';
import { byDay } from '../../harness/full.ts';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { dashboard } from './shared-dashboard.ts';
import { open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('free.example');
const siteId = await shop.addWebsite();
await shop.addAction(siteId, 'Event', 'Tell the CRM', '--event', 'conversation.started');
const paid = await dashboard.addOrganization('secret.example');
const signed = await paid.addWebsite('--mode', 'Session Signed');
const visitor = await dashboard.newPage();
const { page } = visitor;

/** Tests logins, and the input of the user when a session ends. */
describe('sessions', () => {
  afterAll(() => visitor.context.close());

  const url = (tab: string) => shop.url(`/${siteId}/${tab}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  /** Returns the stored login of the tab. */
  const stored = (tab = page) =>
    tab.evaluate<{ access_token: string; refresh_token: string }>(
      `JSON.parse(sessionStorage.getItem(Object.keys(sessionStorage).find((key) => key.includes('user:'))))`,
    );
  const store = (change: object, tab = page) =>
    tab.evaluate(`(() => {
      const key = Object.keys(sessionStorage).find((name) => name.includes('user:'));
      const user = { ...JSON.parse(sessionStorage.getItem(key)), ...${JSON.stringify(change)} };
      sessionStorage.setItem(key, JSON.stringify(user));
    })()`);
  const saved = () => page.getByText('Saved. The change takes effect with the next request.').last().waitFor();

  const logOut = async (tab = page, who: 'admin' | 'member' = 'admin') => {
    await tab.getByRole('button', { name: `Account of ${shop.email(who)}`, exact: true }).click();
    await tab.getByRole('menuitem', { name: 'Log out' }).click();
  };
  const endedHere = (tab = page) => tab.getByRole('dialog').getByText('Your session has ended');

  const isInside = async () => (await page.getByRole('link', { name: 'Members' }).count()) > 0;
  const inside = async () => {
    if (await isInside()) return;
    if (await page.getByLabel('Password').isHidden()) return shop.logIn(visitor, 'admin');
    await shop.fillLogin(page, 'admin');
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
  };

  test('refuses a wrong password at the login, and allows everything from there to a saved change with a keyboard', async () => {
    const tabTo = async (target: Locator, key = 'Tab') => {
      await target.waitFor();
      for (let count = 0; count < 60; count++) {
        await page.keyboard.press(key);
        if ((await target.and(page.locator(':focus')).count()) > 0) return;
      }
      throw new Error(`No way by keyboard to ${target}`);
    };
    const replace = async (text: string) => {
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await dashboard.vaWave('assistant', 'update', siteId, '--name', 'Website');
    if (await isInside()) {
      await logOut();
      await page.getByLabel('Password').waitFor();
    }
    await page.goto(shop.url(''));
    for (const password of ['wrong', shop.password('admin')]) {
      await page.getByLabel('Email').focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(shop.email('admin'));
      await tabTo(page.getByLabel('Password'));
      await replace(password);
      if (password === 'wrong') await page.getByText('Incorrect email or password.').waitFor();
    }
    await tabTo(page.getByRole('link', { name: 'Website' }));
    expect(page.url()).not.toMatch(/token|code=|state=/);
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel('Rate Limit (requests/hour)'));
    await replace('250');
    await saved();
    await tabTo(page.getByRole('tab', { name: 'General' }), 'Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await tabTo(page.getByLabel('New domain'));
    await replace('www.shop.example');
    await button('Remove www.shop.example').waitFor();
    await tabTo(button('Save changes'));
    await page.keyboard.press('Enter');
    await saved();
    await tabTo(page.getByRole('tab', { name: 'Deploy' }), 'Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await tabTo(button('Test Tell the CRM'));
    await page.keyboard.press('Enter');
    await page.getByText('Delivered, HTTP status 200').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('sends the API none of the cookies that the domain has', async () => {
    await inside();
    const cookies = ['a', 'b', 'c'].map((name) => ({ name, value: name.repeat(3000), url: dashboard.service.baseUrl }));
    await visitor.context.addCookies(cookies);
    await open(page, shop.url(''));
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
    const [asked] = await Promise.all([
      page.waitForRequest('**/api/dashboard/**'),
      open(page, shop.url('/members')),
      page.getByRole('row', { name: /admin@shops.example Admin since/ }).waitFor(),
    ]);
    expect((await asked.allHeaders()).cookie).toBeUndefined();
    await visitor.context.clearCookies({ name: /^[abc]$/ });
  });

  test('locks Session Signed on the free plan, and shows the reason', async () => {
    await inside();
    await open(page, url('deploy'));
    await page.getByText('A paid feature: this organization is on the free plan').waitFor();
    expect(await page.getByRole('radio', { name: 'Session Signed' }).isDisabled()).toBe(true);
  });

  test('renews an expired access token without a message', async () => {
    await inside();
    const before = await stored();
    await store({ expires_at: 1 });
    await open(page, url('general'));
    await open(page, shop.url('/audit'));
    await page.getByRole('table', { name: 'Changes' }).waitFor();
    const after = await stored();
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(visitor.problems).toEqual([]);
  });

  test('asks for a login when the session ends during an edit, and keeps the edit', async () => {
    await inside();
    await open(page, url('general'));
    await page.getByLabel('Name').fill('Typed before the end');
    await store({ access_token: 'gone', refresh_token: 'gone', expires_at: 1 });
    await visitor.context.clearCookies();
    await button('Save changes').click();
    await page.getByRole('dialog').getByText('Your input is kept in this tab').waitFor();
    await button('Log in again').last().click();
    await shop.fillLogin(page, 'admin');
    await page.getByLabel('Name').waitFor();
    expect(page.url()).toBe(url('general'));
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the end');
    await button('Save changes').click();
    await saved();
  });

  test('keeps the input of one user from another who logs in in the same tab', async () => {
    await inside();
    await open(page, url('general'));
    await page.getByLabel('Name').fill('Typed by the admin');
    const end = async () => {
      await store({ access_token: 'gone', refresh_token: 'gone', expires_at: 1 });
      await visitor.context.clearCookies();
      await open(page, shop.url('/members'));
      await endedHere().waitFor();
      expect(await page.getByText(shop.email('admin')).count()).toBe(0);
      await button('Log in again').last().click();
    };
    const leave = async () => {
      await button('Discard changes').waitFor({ state: 'detached' });
      await logOut(page, 'member');
      await page.getByLabel('Password').waitFor();
    };
    for (const [who, before] of [
      ['member', end],
      ['admin', leave],
    ] as const) {
      await before();
      await shop.fillLogin(page, who);
      await page.getByRole('heading', { name: who === 'admin' ? 'Assistants' : 'Members' }).waitFor();
      const notSaved = await page.getByText('Your input in these forms is not saved').count();
      await open(page, url('general'));
      const name = await page.getByLabel('Name').inputValue();
      expect([who, notSaved, name === 'Typed by the admin']).toEqual([
        who,
        ...(who === 'admin' ? [1, true] : [0, false]),
      ]);
    }
    await button('Discard changes').click();
  });

  test('lets a member who was an admin discard what was typed', async () => {
    const become = (role: string) =>
      dashboard.vaWave('member', 'add', '--org', shop.orgId, '--email', shop.email('member'), '--role', role);
    await become('admin');
    const { page: tab, context } = await dashboard.newPage();
    await tab.goto(url('general'));
    await shop.fillLogin(tab, 'member');
    await tab.getByLabel('Name').fill('Typed as an admin');
    await become('member');
    await tab.reload();
    await tab.getByRole('button', { name: 'Discard changes' }).click();
    expect(await tab.getByLabel('Name').inputValue()).not.toBe('Typed as an admin');
    await context.close();
  });

  const EARLIER_DRAFTS = [
    ['without a field', 'delete draft.values.ip_allowlist'],
    ['with another kind of value', "draft.values.ip_allowlist = 'a text'"],
  ] as const;
  test.each(byDay(1, EARLIER_DRAFTS))(
    'restores input that an earlier version of the page stored %s',
    async (_, change) => {
      await inside();
      await open(page, url('deploy'));
      await page.getByLabel('New domain').fill('typed.example');
      await open(page, shop.url('/members'));
      await page.evaluate(`for (const [name, value] of Object.entries(sessionStorage)) if (name.endsWith('.deploy')) {
      const draft = JSON.parse(value);
      ${change};
      sessionStorage.setItem(name, JSON.stringify(draft));
    }`);
      await open(page, url('deploy'));
      await page.getByLabel('New address').waitFor();
      expect(await page.getByLabel('New domain').inputValue()).toBe('typed.example');
      await button('Discard changes').click();
      expect(visitor.problems).toEqual([]);
    },
  );

  test.each(byDay(2, ['{"base":', '{"base":null}', 'null', '{}', '{"base":0,"values":{}}']))(
    'goes on where the tab stores a draft that is none: %s',
    async (stored) => {
      await inside();
      await open(page, url('general'));
      const before = await page.getByLabel('Name').inputValue();
      await page.getByLabel('Name').fill('Typed');
      await page.evaluate(`for (const name of Object.keys(sessionStorage))
      if (name.endsWith('.general')) sessionStorage.setItem(name, ${JSON.stringify(stored)})`);
      await page.reload();
      await page.getByLabel('Name').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe(before);
      expect(visitor.problems).toEqual([]);
    },
  );

  test('goes on in a tab and its copy after each of them has renewed the token', async () => {
    await inside();
    const [copy] = await Promise.all([visitor.context.waitForEvent('page'), page.evaluate('open(location.href)')]);
    for (const tab of [page, copy, page]) {
      await store({ expires_at: 1 }, tab);
      await open(tab, shop.url('/audit'));
      await tab.getByRole('heading', { name: 'Audit trail' }).waitFor();
      await open(tab, shop.url('/members'));
      await tab.getByRole('row', { name: /admin@shops.example Admin since/ }).waitFor();
      expect((await stored(copy)).refresh_token).toBe((await stored()).refresh_token);
    }
    await copy.close();
  });

  test.each(byDay(1, ['code=of-another-login&state=unknown', 'error=access_denied&state=unknown', '']))(
    'goes on with its session at the return of a login that is not its own: %s',
    async (query) => {
      await inside();
      await page.goto(`${dashboard.service.baseUrl}/dashboard/callback?${query}`);
      await page.getByRole('heading', { name: 'Assistants' }).waitFor();
      const other = await visitor.context.newPage();
      await other.goto(`${dashboard.service.baseUrl}/dashboard/callback?${query}`);
      await other.getByText('The login did not begin in this tab, or is finished already.').waitFor();
      await other.getByRole('button', { name: 'Try again' }).click();
      await other.getByRole('heading', { name: 'Assistants' }).waitFor();
      await other.close();
    },
  );

  test('says what the login says when it refuses', async () => {
    const tab = await visitor.context.newPage();
    await tab.route('**/oauth2/authorize?**', (route) => {
      const { searchParams } = new URL(route.request().url());
      const answer = {
        state: searchParams.get('state') ?? '',
        error: 'access_denied',
        error_description: 'User is disabled',
      };
      const location = `${searchParams.get('redirect_uri')}?${new URLSearchParams(answer)}`;
      return route.fulfill({ status: 302, headers: { location } });
    });
    await tab.goto(shop.url(''));
    await tab.getByText('The login says: User is disabled.').waitFor();
    await tab.close();
  });

  test('leaves at a logout also when the revocation hangs, and asks for no login meanwhile', async () => {
    await inside();
    const tab = await visitor.context.newPage();
    await tab.clock.install();
    await tab.goto(url('general'));
    await tab.getByLabel('Name').fill('Discarded at the logout');
    const revoking = Promise.withResolvers<void>();
    await tab.route('**/oauth2/revoke', () => revoking.resolve());
    await logOut(tab);
    await tab.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await revoking.promise;
    await tab.getByText('Website').last().waitFor({ state: 'detached' });
    expect(await tab.getByText('Log in again').count()).toBe(0);
    await tab.clock.fastForward(10_000);
    await shop.fillLogin(tab, 'admin');
    await tab.getByRole('heading', { name: 'Assistants' }).waitFor();
    await open(tab, url('general'));
    expect(await tab.getByLabel('Name').inputValue()).not.toBe('Discarded at the logout');
    await tab.close();
    await endedHere().waitFor();
    await visitor.context.clearCookies();
  });

  test('keeps and uses no token that a renewal gets after a logout', async () => {
    await inside();
    const tab = await visitor.context.newPage();
    await tab.goto(url('general'));
    await tab.getByLabel('Name').waitFor();
    const renewed = Promise.withResolvers<{ refresh_token: string }>();
    const released = Promise.withResolvers<void>();
    await tab.route('**/oauth2/token', async (route) => {
      const response = await route.fetch();
      renewed.resolve(await response.json());
      await released.promise;
      await route.fulfill({ response });
    });
    await store({ expires_at: 1 }, tab);
    await open(tab, shop.url('/members'));
    const { refresh_token } = await renewed.promise;
    const asked: string[] = [];
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const revocation = tab.waitForRequest('**/oauth2/revoke');
    await logOut();
    await endedHere(tab).waitFor();
    released.resolve();
    expect(new URLSearchParams((await revocation).postData() ?? '').get('token')).toBe(refresh_token);
    await until(() => tab.evaluate<boolean>(`!Object.keys(sessionStorage).some((key) => key.includes('user:'))`));
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await tab.close();
    await page.getByLabel('Password').waitFor();
  });

  test('shows nothing when it comes back from the cache of the browser after a logout', async () => {
    await inside();
    await open(page, shop.url('/members'));
    await page.getByRole('row', { name: /admin@shops.example Admin since/ }).waitFor();
    // The automated browser has no such cache. The page gets this event, and none for the storage.
    await page.evaluate(`localStorage.setItem('va-wave.logout', 'in another tab');
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await endedHere().waitFor();
    expect(await page.getByText(shop.email('admin')).count()).toBe(0);
    expect(await page.title()).toBe('Your session has ended · va-wave');
    await button('Log in again').last().click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
  });

  test('ends the session of the login and the refresh token at the logout', async () => {
    await inside();
    const { issuer, client_id }: { issuer: string; client_id: string } = JSON.parse(
      await (await fetch(`${dashboard.service.baseUrl}/dashboard/config.json`)).text(),
    );
    const { refresh_token } = await stored();
    await logOut();
    // The page that follows a logout asks for a login at once.
    await page.getByLabel('Password').waitFor();
    const renewal = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token }),
    });
    expect(renewal.status).toBe(400);
  });

  // The last tests intercept what the page asks for, and load it again less often.

  const headers = { 'access-control-allow-origin': '*' };
  const RENEWALS = [
    ['a busy', { status: 429, headers, json: { error: 'too_many_requests' } }],
    ['no', undefined],
    ['a failed', { status: 503, body: '' }],
    ['an unavailable', { status: 503, headers, json: { error: 'temporarily_unavailable' } }],
  ] as const;
  test.each(byDay(2, RENEWALS))(
    'keeps the session when the login gives %s answer to a renewal',
    async (name, answer) => {
      await inside();
      await open(page, url('general'));
      await page.getByLabel('Name').fill(`Typed with ${name} answer`);
      await store({ expires_at: 1 });
      const endInterception = await intercept(page, '**/oauth2/token', (route) =>
        answer === undefined ? route.abort() : route.fulfill(answer),
      );
      await button('Save changes').click();
      await page.getByText('No connection to the service').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      endInterception();
      await button('Save changes').click();
      await saved();
    },
  );

  test('ends in every tab at the logout in one of them, shows nothing there, and revokes what Cognito lets a page revoke', async () => {
    await inside();
    const other = await visitor.context.newPage();
    await other.goto(url('general'));
    await other.getByLabel('Name').fill('Typed in the other tab');
    const kept = await other.evaluate<[string, string][]>('Object.entries(sessionStorage)');
    const third = await visitor.context.newPage();
    await third.goto(paid.url(`/${signed}/deploy`));
    await third.getByRole('button', { name: 'Generate Server Secret' }).click();
    const secret = await third.getByRole('region', { name: 'Server secret', exact: true }).innerText();
    const revoked: string[] = [];
    for (const tab of [page, other, third]) {
      await intercept(tab, '**/oauth2/revoke', (route) => {
        const type = new URLSearchParams(route.request().postData() ?? '').get('token_type_hint') ?? '';
        revoked.push(type);
        if (type === 'refresh_token') return route.continue();
        // Cognito answers so to a token of another type.
        const headers = { 'access-control-allow-origin': '*' };
        return route.fulfill({ status: 400, headers, json: { error: 'unsupported_token_type' } });
      });
    }
    await logOut();
    await endedHere(other).waitFor();
    expect(await other.getByText('Website').count()).toBe(0);
    await endedHere(third).waitFor();
    const shown = await third.evaluate<string>('document.documentElement.textContent');
    for (const hidden of [secret, 'Website', 'Corner Shop', shop.email('admin')]) expect(shown).not.toContain(hidden);
    await third.close();
    await page.getByLabel('Password').waitFor();
    await until(() => revoked.length === 3);
    expect(revoked).toEqual(['refresh_token', 'refresh_token', 'refresh_token']);
    // A tab that was closed before the logout is opened again with what it had stored.
    await other.evaluate(`for (const [name, value] of ${JSON.stringify(kept)}) sessionStorage.setItem(name, value)`);
    await other.goto(url('general'));
    await shop.fillLogin(other, 'admin');
    await other.getByLabel('Name').waitFor();
    expect(await other.getByLabel('Name').inputValue()).toBe('Typed in the other tab');
    await other.close();
    // The page cannot finish its login without its cookies.
    await page.goto('about:blank');
    await visitor.context.clearCookies();
  });
});
