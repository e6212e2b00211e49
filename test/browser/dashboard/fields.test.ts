import type { Route } from 'playwright-core';
import { envelope } from '../../../src/contract/queues.ts';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { button, dashboard, discard, page } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const shop = await dashboard.addOrganization('fields.example');
const siteId = await shop.addWebsite();
const parameters = JSON.stringify({ properties: { number: { type: 'string' } }, required: ['number'] });
const words = ['--description', 'Finds an order by its number', '--parameters', parameters];
await shop.addAction(siteId, 'AI-decided', 'Find an order', ...words);
const contact = ['--url', dashboard.receiver.url('/preview'), '--field', 'email:Email:Email:required'];
await shop.addAction(siteId, 'Form', 'Contact us', ...contact);
await shop.addWebsite('--name', 'My shop', '--domain', '');
const url = (tab: string) => shop.url(`/${siteId}/${tab}`);

/** Tests where the focus is, what the title of the page is, and what the fields say before a save. */
describe('fields and focus', () => {
  beforeAll(() => shop.enter());

  const titled = (title: string) => until(async () => (await page.title()) === title);

  test('warns of an empty Domain on the tabs and in the list', async () => {
    await open(page, shop.url(''));
    const warning = page.getByText('The widget appears on no page');
    await page.getByText('On, but on no page').waitFor();
    await page.getByRole('link', { name: 'My shop' }).click();
    await warning.waitFor();
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await warning.waitFor();
    await page.getByRole('link', { name: 'Assistants' }).click();
  });

  test('has a title per screen, and moves the focus to a new screen but not to a new tab', async () => {
    await open(page, shop.url(''));
    await titled('Assistants of Corner Shop · va-wave');
    await page.getByRole('link', { name: 'Website', exact: true }).click();
    await titled('General, Website · va-wave');
    expect(await page.getByText('The widget appears on no page').count()).toBe(0);
    await page.locator('main:focus').waitFor();
    await page.getByRole('tab', { name: 'General' }).focus();
    await page.keyboard.press('ArrowRight');
    await titled('Deploy, Website · va-wave');
    await page.getByRole('tab', { name: 'Deploy' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await button('Create Action').first().click();
    await titled('Action, Website · va-wave');
    await page.locator('main:focus').waitFor();
  });

  test('warns of a host that is not public before a save, but not of a name that is being typed', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    const warning = page.getByText('The service may block this host');
    const hosts = ['10.0.0.1/', 'crm.shop.com/', 'crm/hook', 'crm', 'crm.internal/hook', 'crm.', 'localhost'];
    for (const [index, host] of hosts.entries()) {
      await page.getByLabel('Endpoint URL').fill(`https://${host}`);
      await warning.waitFor({ state: index % 2 === 0 ? 'visible' : 'detached' });
    }
    await discard();
  });

  test('duplicates an Action with everything that its form does not show, and keeps an unfinished new Action', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Unfinished');
    await open(page, url('intelligence'));
    await button('More for Find an order').click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByLabel('Description').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Copy of Find an order');
    await page.getByLabel('Name').fill('Find a parcel');
    await button('Create Action').click();
    await page.getByText('Find a parcel was created.').waitFor();
    const actions = await dashboard.vaWave<{ name: string }[]>('action', 'list', '--site', siteId);
    const [original, copy] = ['Find an order', 'Find a parcel'].map((wanted) => {
      const { action_id, name, slug, created_at, updated_at, ...settings }: Record<string, unknown> =
        actions.find(({ name }) => name === wanted) ?? {};
      return settings;
    });
    expect(original).toMatchObject({ parameters: { required: ['number'] }, enabled: true });
    expect(copy).toEqual({ ...original, enabled: false });
    await open(page, url('intelligence/new'));
    expect(await page.getByLabel('Name').inputValue()).toBe('Unfinished');
    await discard();
  });

  test('says in the list that the organization has room for no other assistant', async () => {
    await dashboard.vaWave('org', 'update', shop.orgId, '--assistants', '2');
    await page.reload();
    await open(page, shop.url(''));
    await page.getByText('The organization uses 2 of 2 assistants.').waitFor();
    expect(await button('Create assistant').isDisabled()).toBe(true);
  });

  test('shows what an endpoint receives, with the data that the contract names, and what is reserved', async () => {
    const examples = () => page.getByRole('region', { name: /^Example of / }).allInnerTexts();
    const events = ['--event', 'form.submitted', '--event', 'contact.created'];
    await shop.addAction(siteId, 'Event', 'Tell the CRM', ...events);
    await shop.openAnew(`/${siteId}/intelligence`);
    await page.getByText('form.submitted (not yet firing), contact.created').waitFor();
    await button('Edit Tell the CRM').click();
    await button('What your endpoint receives').click();
    const [generic = ''] = await examples();
    expect(envelope.parse(JSON.parse(generic))).toMatchObject({ event: 'form.submitted', data: {} });
    await page.getByRole('button', { name: 'Choose events' }).click();
    for (const name of ['started', 'ended', 'resolved']) {
      await page.getByRole('option', { name: new RegExp(`^conversation\\.${name}`) }).click();
    }
    await page.keyboard.press('Escape');
    const known = (await examples()).map((text) => envelope.parse(JSON.parse(text)));
    expect(known.map(({ event, data }) => [event, Object.keys(data)])).toEqual([
      ['conversation.started', ['conversation_id', 'session_id', 'visitor_id', 'referrer']],
      ['conversation.ended', ['conversation_id', 'session_id', 'message_count']],
      ['conversation.resolved', ['conversation_id', 'session_id', 'message_count']],
    ]);
    await discard();
  });

  test('marks each wrong entry of a response field map', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Find an order');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill('https://crm.example/');
    await page.getByRole('checkbox', { name: 'Feed the response back' }).click();
    for (const [index, path] of ['status', '$.status'].entries()) {
      await button('Add entry').click();
      await page
        .getByLabel(`Name of entry ${index + 1}`)
        .and(page.locator(':focus'))
        .waitFor();
      await page.getByLabel(`Path of entry ${index + 1}`).fill(path);
    }
    await page.getByLabel('Name of entry 1').fill('state');
    await button('Create Action').click();
    await page.getByText('Entry 1, Path: Must be a dotted path').waitFor();
    await page.getByText('Entry 2, Name: Is required.').waitFor();
    await page.getByLabel('Path of entry 1').fill('state');
    await page.getByLabel('Name of entry 2').fill('n'.repeat(65));
    await page.getByLabel('Path of entry 2').fill('state');
    await button('Create Action').click();
    for (const problem of [
      'Entry 1, Path: Must be',
      'Entry 2, Name: Must be at most 64 characters.',
      'Entry 2, Path: Must be',
    ])
      await page.getByText(problem).waitFor();
    for (const row of [1, 2]) await page.getByLabel(`Path of entry ${row}`).fill('$.state');
    await page.getByLabel('Name of entry 2').fill('state');
    await button('Create Action').click();
    for (const row of [1, 2])
      await page.getByText(`Entry ${row}, Name: Must not be the name of another entry.`).waitFor();
    // A save sends the entries also when the response is not fed back, so they stay in sight.
    await page.getByRole('checkbox', { name: 'Feed the response back' }).click();
    await button('Remove state').last().click();
    await discard();
  });

  test('says what is wrong with an entry whose list is no longer on the screen', async () => {
    await open(page, url('deploy'));
    await page.getByLabel('New domain').fill('ftp://x');
    await page.getByRole('radio', { name: 'Session Signed' }).click();
    await button('Save changes').click();
    await page.getByText('Allowed domains: Must be a host such as').waitFor();
    await button('Discard changes').click();
  });

  test('checks each IP address when it is added, and marks every wrong entry of a refused list', async () => {
    await open(page, url('deploy'));
    const field = page.getByLabel('New address');
    await field.fill('10.0.0.0/8');
    await button('Add address').click();
    await page.getByText('10.0.0.0/8: Must be an IPv4 or IPv6 address').waitFor();
    expect(await button('Remove 10.0.0.0/8').count()).toBe(0);
    await field.fill('2001:DB8::0:7');
    await field.press('Enter');
    await button('Remove 2001:db8::7').waitFor();
    // What is removed while another address is checked stays removed.
    const removed = Promise.withResolvers<void>();
    const check = async (route: Route) => {
      endInterception();
      await removed.promise;
      await route.continue();
    };
    const endInterception = await intercept(page, '**/check-hosts', check);
    await field.fill('203.0.113.8');
    await field.press('Enter');
    await button('Remove 2001:db8::7').click();
    removed.resolve();
    await button('Remove 203.0.113.8').waitFor();
    expect(await button('Remove 2001:db8::7').count()).toBe(0);
    // Input from before the addresses were checked at once.
    await page.evaluate(`(() => {
      const name = Object.keys(sessionStorage).find((key) => key.endsWith('${siteId}.deploy'));
      const draft = JSON.parse(sessionStorage.getItem(name));
      draft.values.ip_allowlist = ['nowhere', '203.0.113.7', '999.1.1.1', ''];
      sessionStorage.setItem(name, JSON.stringify(draft));
    })()`);
    await open(page, url('general'));
    await open(page, url('deploy'));
    await button('Save changes').click();
    await page.getByText('nowhere: Must be an IPv4 or IPv6 address. 999.1.1.1: Must be').waitFor();
    expect(await page.getByRole('img', { name: 'Not valid' }).count()).toBe(2);
    await button('Discard changes').click();
  });

  test('says in a message what is wrong with a field that the form does not show', async () => {
    await open(page, url('general'));
    await page.getByLabel('Name').fill('Web shop');
    await page.evaluate(`(() => {
      const name = Object.keys(sessionStorage).find((key) => key.endsWith('${siteId}.general'));
      const draft = JSON.parse(sessionStorage.getItem(name));
      draft.values.allowed_domains = Array.from({ length: 101 }, (_, index) => index + '.shop.example');
      sessionStorage.setItem(name, JSON.stringify(draft));
    })()`);
    await open(page, url('deploy'));
    await open(page, url('general'));
    await button('Save changes').click();
    await page.getByText('Allowed domains: Must have at most 100 entries.').waitFor();
    await button('Discard changes').click();
  });

  test('keeps the key of a stored field, and shows a form as visitors see it, while it is edited', async () => {
    await open(page, url('intelligence'));
    await button('Edit Contact us').click();
    await button('Preview').click();
    const preview = page.getByRole('dialog', { name: 'Contact us' });
    await preview.getByRole('textbox', { name: 'Email' }).fill('nobody');
    await preview.getByRole('button', { name: 'Send' }).click();
    await preview.getByText('Please enter an email address').waitFor();
    const label = page.getByRole('textbox', { name: 'Label' });
    await label.fill('Your email');
    await label.and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('email');
    await page.setViewportSize({ width: 390, height: 768 });
    expect(await flaws(page)).toEqual([]);
    // Texts of an admin are texts in the preview, whatever they contain.
    const hostile = '</style><img src=x onerror="alert(1)"><b>\u202e';
    await label.fill(hostile);
    await preview.getByText('<img src=x').waitFor();
    expect(await preview.locator('img, b').count()).toBe(0);
    await label.fill('Your email');
    await preview.getByRole('textbox', { name: 'Your email' }).fill('ada@shop.example');
    await preview.getByRole('button', { name: 'Send' }).click();
    await preview.getByRole('heading', { name: 'Thank you!' }).waitFor();
    expect(dashboard.receiver.to('/preview')).toEqual([]);
    await discard();
    expect(dashboard.admin.problems).toEqual([]);
  });
});
