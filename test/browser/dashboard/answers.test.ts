import { byDay, full } from '../../harness/full.ts';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { askedByClosing, flaws, open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('answers.example');
const stranger = await dashboard.addOrganization('stranger.example');
const longNamed = await dashboard.addOrganization('long-names.example');
const siteId = await shop.addWebsite();
const LONG = {
  name: 'Website '.repeat(12).trim(),
  domain: `${'a'.repeat(60)}.${'b'.repeat(60)}.example`,
  url: `https://crm.example/${'p'.repeat(300)}`,
};
const longNamedSite = await longNamed.addWebsite('--name', LONG.name, '--domain', LONG.domain);
for (let at = 1; at <= 12; at++) {
  await longNamed.addWebsite('--name', LONG.name, '--domain', LONG.domain);
  const settings = ['--event', 'contact.created', '--url', LONG.url];
  await longNamed.addAction(longNamedSite, 'Event', `${at}${'n'.repeat(98)}`, ...settings);
}
const url = (tab: string) => shop.url(`/${siteId}/${tab}`);
type Stored = {
  readonly domain: string;
  readonly allowed_domains: readonly string[];
  readonly ip_allowlist: readonly string[];
};
const stored = () => dashboard.vaWave<Stored>('assistant', 'show', siteId);
/** Sets the Domain, and Allowed Domains to it and to the others. */
const setDomains = (...domains: readonly string[]) => {
  const allowed = domains.flatMap((domain) => ['--allowed-domain', domain]);
  return dashboard.vaWave('assistant', 'update', siteId, '--domain', domains[0] ?? '', ...allowed);
};

/** Tests that the dashboard answers the questions of an admin where they arise. */
describe('where the widget appears', () => {
  beforeAll(() => shop.enter());

  const verdict = (text: RegExp) => page.getByRole('status').getByText(text).waitFor();

  test('follows a new Domain before it is saved, and repairs Allowed Domains in the same save', async () => {
    await setDomains('shop.example');
    await shop.openAnew(`/${siteId}/general`);
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
    await setDomains('www.new.example', 'shop.example');
    await shop.openAnew(`/${siteId}/deploy`);
    await page.getByText('Browsers allow only pages of the Domain, www.new.example: no page can match').waitFor();
    await button('Remove www.new.example').click();
    await verdict(/^Once this is saved, the widget appears on no page\./);
    await button('Use shop.example as the Domain').click();
    await verdict(/^Once this is saved, the widget appears on shop\.example\./);
    await button('Save changes').click();
    await verdict(/^The widget appears on shop\.example\./);
    expect(await stored()).toMatchObject({ domain: 'shop.example', allowed_domains: ['shop.example'] });
  });

  test('adds the Domain to Allowed Domains on the Deploy tab, and keeps the other entries there', async () => {
    await dashboard.vaWave(
      'assistant',
      'update',
      siteId,
      '--domain',
      'www.new.example',
      '--allowed-domain',
      'shop.example',
    );
    await shop.openAnew(`/${siteId}/deploy`);
    await button('Add www.new.example to Allowed Domains').click();
    for (const host of ['www.new.example', 'shop.example']) await button(`Remove ${host}`).waitFor();
    expect(await page.getByLabel('New domain').inputValue()).toBe('');
    await button('Discard changes').click();
  });

  test('depends on the status, the server secret and the suspension, and is known before an assistant is created', async () => {
    await setDomains('shop.example');
    await shop.openAnew(`/${siteId}/deploy`);
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
    await page.getByRole('button', { name: 'Account of admin@shops.example' }).waitFor();
    expect(
      await page
        .getByText('Website', { exact: true })
        .or(page.getByRole('button', { name: 'Create assistant' }))
        .count(),
    ).toBe(0);
    await page.getByRole('button', { name: 'Open Corner Shop' }).first().click();
    await page.getByRole('heading', { name: 'Assistants' }).waitFor();
  });
});

describe('what is typed', () => {
  beforeAll(() => shop.enter());

  test('into a list and not added is saved, or marked when it cannot be', async () => {
    await setDomains('shop.example');
    await dashboard.vaWave('assistant', 'update', siteId, '--clear-ip-allowlist');
    await shop.openAnew(`/${siteId}/deploy`);
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

  /** What is pasted, the entries that it adds, what stays in the input, and what is said of that. */
  const PASTED = [
    ['domain', 'a.shop.example\nHTTPS://B.shop.example/start\n', ['a.shop.example', 'b.shop.example'], '', []],
    [
      'domain',
      'c.shop.example, d.shop.example;e.shop.example',
      ['c.shop.example', 'd.shop.example', 'e.shop.example'],
      '',
      [],
    ],
    ['domain', 'SHOP.example', [], 'SHOP.example', ['SHOP.example: Is already in the list.']],
    ['domain', 'f.shop.example f.shop.example', ['f.shop.example'], 'f.shop.example', ['f.shop.example: Is already']],
    [
      'domain',
      'shop.example g.shop.example *.x',
      ['g.shop.example'],
      'shop.example *.x',
      ['shop.example: Is', '*.x: Must be'],
    ],
    ['address', '203.0.113.1\n203.0.113.2\tnowhere', ['203.0.113.1', '203.0.113.2'], 'nowhere', ['nowhere: Must be']],
    ['address', '2001:DB8::0:7 2001:db8::7', ['2001:db8::7'], '2001:db8::7', ['2001:db8::7: Is already in the list.']],
  ] as const;

  test.each(full ? PASTED : PASTED.slice(4, 5))(
    'into the list of a %s as %j adds %j',
    async (noun, text, added, left, problems) => {
      await dashboard.vaWave('assistant', 'update', siteId, '--allowed-domain', 'shop.example', '--clear-ip-allowlist');
      await shop.openAnew(`/${siteId}/deploy`);
      const input = page.getByLabel(`New ${noun}`);
      await input.focus();
      await dashboard.admin.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('Control+V');
      await input.press('Enter');
      for (const entry of added) await button(`Remove ${entry}`).waitFor();
      for (const problem of problems) await page.getByText(problem).waitFor();
      await until(async () => (await input.inputValue()) === left);
      await button('Discard changes').click();
      for (const problem of problems) await page.getByText(problem).waitFor({ state: 'detached' });
    },
  );

  test('is not added by the Enter key that ends a word of an input method', async () => {
    await open(page, url('deploy'));
    const input = page.getByLabel('New domain');
    await input.fill('münchen.example');
    await input.dispatchEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, isComposing: true });
    await input.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true });
    await input.press('Tab');
    expect(await input.inputValue()).toBe('münchen.example');
    await button('Discard changes').click();
  });

  test('as several entries and not added is saved as several', async () => {
    await setDomains('shop.example');
    await shop.openAnew(`/${siteId}/deploy`);
    await page.getByLabel('New domain').fill('h.shop.example, i.shop.example');
    await button('Save changes').click();
    await button('Remove i.shop.example').waitFor();
    expect((await stored()).allowed_domains).toEqual(['shop.example', 'h.shop.example', 'i.shop.example']);
  });

  test('is listed on other screens, and the browser, Cancel and the logout ask before it is discarded', async () => {
    await open(page, url('general'));
    await page.getByLabel('Rate Limit (requests/hour)').fill('ten');
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Half');
    await page.getByRole('link', { name: 'General, Website' }).click();
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('ten');
    await page.getByRole('link', { name: 'Action (new) of Website' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half');
    expect(await askedByClosing(page)).toBe('beforeunload');
    await button('Cancel').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).last().click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half');
    await discard();
    await page.getByRole('link', { name: 'Action (new) of Website' }).waitFor({ state: 'detached' });
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

describe('names that others use', () => {
  beforeAll(() => shop.enter());

  test('are shown to copy, and a new name says what it breaks', async () => {
    const uuid = '3f2a1b4c-0000-4000-8000-0123456789ab';
    await shop.addAction(siteId, 'Form', 'Contact us', '--field', 'email:Email:Email', '--field', `${uuid}:Id:Text`);
    await shop.addAction(siteId, 'AI-decided', 'Find an order', '--description', 'Finds an order by its number');
    await shop.openAnew(`/${siteId}/intelligence`);
    await button('Edit Contact us').click();
    await page.getByText("vaWave('open', 'contact-us')", { exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Contact us!');
    await page.getByLabel('Key of field 1').fill('mail');
    await page.getByText('Your endpoint knows it as email.').waitFor();
    await page.getByLabel('Key of field 2').fill('number');
    await page.getByText(`Your endpoint knows it as ${uuid}.`).waitFor();
    const broken = page.getByText("Pages that call vaWave('open', 'contact-us') no longer open the form.");
    expect(await broken.count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('Write to us');
    await broken.waitFor();
    await discard();
    await button('Edit Find an order').click();
    await page.getByText('find-an-order', { exact: true }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Find a parcel');
    await page.getByText('The tool find-an-order gets the name find-a-parcel.').waitFor();
    await discard();
  });

  test('a copy has a name that the form takes, and fields that no endpoint knows', async () => {
    const name = 'Größe '.repeat(16).trim();
    await shop.addAction(siteId, 'Form', name, '--field', 'email:Email:Email');
    await shop.openAnew(`/${siteId}/intelligence`);
    await button(`More for ${name}`).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByLabel('Label of field 1').fill('Größe');
    expect(await page.getByLabel('Key of field 1').inputValue()).toBe('grosse');
    await page.getByLabel('Key of field 1').fill('mail');
    await button('Create Action').click();
    await page.getByText(' was created.').waitFor();
    expect(await page.getByText('Your endpoint knows it as').count()).toBe(0);
  });

  test('an AI-decided Action that is made here says before its creation that its endpoint receives {}', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByText('None: the endpoint receives the empty JSON object {}.').waitFor();
    await discard();
  });

  test('a save from another tab of the same user is told as such', async () => {
    const other = await dashboard.admin.context.newPage();
    await other.goto(url('general'));
    await open(page, url('general'));
    await page.getByLabel('Rate Limit (requests/hour)').fill('700');
    // The other tab logs in by itself: the browser has the session of the login.
    await other.getByLabel('Name').fill('From the other tab');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByText('Saved.').waitFor();
    await other.close();
    await button('Save changes').click();
    await page.getByText('You changed this assistant in another tab or window while this form was open').waitFor();
    await button('Keep my changes').click();
    await page.getByLabel('Name').fill('Website');
    await button('Save changes').click();
    await page.getByText('Saved.').last().waitFor();
  });
});

describe('a page', () => {
  beforeAll(() => shop.enter());

  test('that the browser translates stays whole', async () => {
    await setDomains('translated.example');
    const names = Promise.withResolvers<void>();
    await intercept(page, '**/assistants', async (route) => {
      await names.promise;
      await route.continue();
    });
    await open(page, shop.url('/audit'));
    await page.getByText('Changed the assistant').first().waitFor();
    await page.evaluate(`(() => {
      const walker = document.createTreeWalker(document.getElementById('main'), NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walker.nextNode()) texts.push(walker.currentNode);
      for (const text of texts) {
        const font = document.createElement('font');
        text.replaceWith(font);
        font.append(text);
      }
    })()`);
    names.resolve();
    await page.getByRole('link', { name: 'Website' }).first().waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await page.getByText('This part of the page failed').count()).toBe(0);
  });

  test('without site data says why the login failed', async () => {
    const visitor = await dashboard.newPage();
    await visitor.context.addInitScript(`for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } })`);
    await visitor.page.goto(shop.url(''));
    await visitor.page.getByText('Your browser blocks cookies and site data').waitFor();
    expect(visitor.problems).toEqual([]);
    await visitor.context.close();
  });

  test.each(byDay(1, [320, 375, 768, 1366, 1920]))(
    'of %d pixels keeps room for each column beside long names and addresses',
    async (width) => {
      await longNamed.enter();
      await page.setViewportSize({ width, height: 900 });
      await open(page, longNamed.url(`/${longNamedSite}/intelligence`));
      await button(`Edit 1${'n'.repeat(98)}`).waitFor();
      const last = button(`Test 12${'n'.repeat(98)}`);
      const box = await last.boundingBox();
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      const address = page.getByText(`POST ${LONG.url}`).last();
      expect((await address.boundingBox())?.width).toBeGreaterThan(140);
      await address.focus();
      expect(await address.evaluate((node) => node.scrollHeight - node.clientHeight)).toBe(0);
      expect(await flaws(page)).toEqual([]);
      await open(page, longNamed.url(''));
      await page.getByRole('link', { name: 'Website Website' }).first().waitFor();
      expect(await flaws(page)).toEqual([]);
    },
  );
});

describe('a test in the form of an Action', () => {
  beforeAll(() => shop.enter());

  test('uses what stands there, says when, whether an event would be retried and where a redirect leads, and when the limit ends', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByText('A test needs the signing secret').waitFor();
    await discard();
    const id = await shop.addAction(siteId, 'Event', 'Tell the shop', '--event', 'contact.created');
    await open(page, url(`intelligence/${id}`));
    const dialog = page.getByRole('dialog');
    const test = async (path: string) => {
      await page.getByLabel('Endpoint URL').fill(path.startsWith('/') ? dashboard.receiver.url(path) : path);
      await button('Test').click();
    };
    await test('http://insecure.example/');
    await page.getByText('Must start with https://.').waitFor();
    dashboard.receiver.answer('/unsaved', [503, 404, 301, 200]);
    await test('/unsaved');
    await dialog.getByText('With the settings on the screen, which are not saved').waitFor();
    await dialog.getByText(/^Failed, HTTP status 503, \d+ ms \(http_status\), at \d/).waitFor();
    await dialog.getByText('the service would try the delivery of a real event again').waitFor();
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('the service would not try the delivery of a real event again').waitFor();
    const { url: saved } = await dashboard.vaWave<{ url: string }>('action', 'show', id);
    expect(saved).toBe(dashboard.receiver.url('/hook'));
    expect(await dashboard.vaWave('deliveries', id)).toMatchObject([{ action_id: id }, { action_id: id }]);
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText('The endpoint sent a redirect (status 301) to /elsewhere;').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await test('https://crm.example/hook');
    await dialog.getByText("The endpoint's host is a special-use name.").waitFor();
    await dialog.getByText('The service sent nothing.').waitFor();
    expect(await dialog.getByText('resolves to').count()).toBe(0);
    for (let sent = 5; sent <= 10; sent++) {
      const answer = page.waitForResponse('**/test');
      await dialog.getByRole('button', { name: 'Send again' }).click();
      await answer;
    }
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog
      .getByText('Not sent: an organization sends at most 10 tests a minute. The next one is possible at')
      .waitFor();
    expect(await dialog.getByText('Delivered').count()).toBe(0);
    expect(await page.locator('.messages').innerText()).toBe('');
    expect(await flaws(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Deliveries of this Action').click();
    await page.getByText(`npx --no-install va-wave deliveries ${id} --since 7d`).waitFor();
    await discard();
  });
});
