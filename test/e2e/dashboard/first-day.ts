import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { verifyWithStripe } from '../acceptance/receiver.ts';
import type { OrganizationDashboard, StartedDashboard, Visitor } from './started-dashboard.ts';

/** Follows the first day of an admin in the browser, from an empty organization to the form of a visitor. */
export function testFirstDay(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let admin: Visitor;
  let page: Page;
  let site: Server;
  let siteHost: string;
  let tag = '';
  let firstSecret = '';

  beforeAll(async () => {
    dashboard = await started().addOrganization('first-day.example');
    site = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title>${tag}`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    siteHost = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    site?.close();
    await admin?.context.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const createSession = (secret: string) =>
    fetch(`${dashboard.service.apiUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'x-server-key': secret },
    });
  const copied = (label: string) => page.getByRole('region', { name: label, exact: true }).innerText();

  test('shows in an empty organization what to do', async () => {
    admin = await dashboard.logIn('admin');
    page = admin.page;
    await page.getByText('No assistants yet').waitFor();
  });

  test('requires a name and a Rate Limit for an assistant, and opens its Deploy tab', async () => {
    await button('Create assistant').first().click();
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await dialog().getByText('Is required.').waitFor();
    await dialog().getByLabel('Name').fill('Website');
    await dialog().getByLabel('Domain').fill(`http://${siteHost}/start`);
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await dialog().getByText('Enter a whole number from 1 to').waitFor();
    await dialog().getByLabel('Rate Limit (requests/hour)').fill('500');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
    await button(`Remove ${siteHost}`).waitFor();
  });

  test('normalizes domains, refuses wildcards, and checks a page', async () => {
    await page.getByLabel('New domain').fill('*.shop.example');
    await button('Add domain').click();
    await page.getByText('Enter a host such as example.com').waitFor();
    await page.getByLabel('New domain').fill('HTTP://WWW.shop.example/anything');
    await page.getByLabel('New domain').press('Enter');
    await button('Remove www.shop.example').waitFor();
    await page.getByLabel('Would this page be allowed?').fill('https://www.shop.example/');
    await button('Check page').click();
    await page.getByText(`No: the Domain (General tab) is ${siteHost}`).waitFor();
    await button(`Remove ${siteHost}`).click();
    await page.getByText('No: the Domain').waitFor({ state: 'detached' });
    await page.getByLabel('Would this page be allowed?').fill(`http://${siteHost}/cart`);
    await button('Check page').click();
    await page.getByText(`No: ${siteHost} is not in Allowed Domains`).waitFor();
    await button('Discard changes').click();
    await button('Check page').click();
    await page.getByText(`Yes, by the Domain and the entry ${siteHost}`).waitFor();
    await page.getByText('No: ').waitFor({ state: 'detached' });
    await page.getByLabel('New domain').fill('staging.shop.example');
    await button('Add domain').click();
    await button('Save changes').click();
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    tag = await copied('Script tag');
    expect(tag).toContain('data-site-id="site_');
  });

  test('creates a Form Action with the fields of its trigger', async () => {
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByText('No Actions yet').waitFor();
    await button('Create Action').first().click();
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByLabel('Name').fill('Contact us');
    await page.getByLabel('Endpoint URL').fill('http://insecure.example/');
    await button('Add field').click();
    await page.getByRole('textbox', { name: 'Key' }).fill('message');
    await page.getByRole('textbox', { name: 'Label' }).fill('Your message');
    await button('Create Action').click();
    await page.getByText('Must start with https://.').waitFor();
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/contact'));
    await button('Create Action').click();
    await page.getByText('Contact us was created.').waitFor();
  });

  test('creates an Event Action and an AI-decided Action', async () => {
    await button('Create Action').click();
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Tell the CRM');
    await page.getByRole('button', { name: 'Choose events' }).click();
    await page.getByRole('option', { name: /^conversation\.started/ }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/events'));
    await button('Create Action').click();
    await page.getByText('Tell the CRM was created.').waitFor();

    await button('Create Action').click();
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Look up an order');
    await page.getByLabel('Description').fill('short');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/orders'));
    await button('Create Action').click();
    await page.getByText('Must be at least 10 characters.').waitFor();
    await page.getByLabel('Description').fill('Finds an order by its number');
    await button('Create Action').click();
    await page.getByText('Look up an order was created.').waitFor();
  });

  test.each([
    ['Contact us', '/contact', 'form'],
    ['Tell the CRM', '/events', 'event'],
    ['Look up an order', '/orders', 'ai'],
  ])('sends a real signed request with the Test button of %s', async (name, path, trigger) => {
    const before = dashboard.receiver.to(path).length;
    await button(`Test ${name}`).click();
    await dialog().getByText('Delivered, HTTP status 200').waitFor();
    const sent = await copied('Request');
    expect(sent).toContain(`X-Service-Trigger: ${trigger}`);
    expect(sent).toContain('v1=(not shown)');
    const arrived = dashboard.receiver.to(path)[before];
    expect(arrived?.headers['x-service-trigger']).toBe(trigger);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  test('explains the failure of an endpoint', async () => {
    dashboard.receiver.answer('/orders', [503]);
    await button('Test Look up an order').click();
    await dialog().getByText('Failed, HTTP status 503').waitFor();
    await dialog().getByText('The endpoint responded with an error status').waitFor();
    expect(await dialog().getByText('Does the endpoint verify the signature?').count()).toBe(0);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    dashboard.receiver.answer('/orders', [200]);
  });

  test('shows for an answer 401 what to check, and who can read the signing secret', async () => {
    dashboard.receiver.answer('/orders', [401]);
    await button('Test Look up an order').click();
    await dialog().getByText('Failed, HTTP status 401').waitFor();
    await dialog().getByText('has the signing secret of this Action').waitFor();
    const command = await copied('Command that reads the signing secret');
    const [, , ...words] = command.split(' ');
    const { signing_secret } = await dashboard.vaWave<{ signing_secret: string }>(...words);
    expect(signing_secret).toMatch(/^whsec_/);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    dashboard.receiver.answer('/orders', [200]);
    await button('Edit Look up an order').click();
    await page
      .getByText(words.at(-1) ?? '', { exact: true })
      .first()
      .waitFor();
    await button('Copy the Action ID').waitFor();
  });

  test('shows no request that was not sent', async () => {
    const url = await page.getByLabel('Endpoint URL').inputValue();
    await page.getByLabel('Endpoint URL').fill('https://no-such-host.invalid/orders');
    await button('Save changes').click();
    await button('Test Look up an order').click();
    await dialog().getByText('The service sent nothing.').waitFor();
    expect(await dialog().getByText('Request', { exact: true }).count()).toBe(0);
    expect(await dialog().getByText('Response', { exact: true }).count()).toBe(0);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await button('Edit Look up an order').click();
    await page.getByLabel('Endpoint URL').fill(url);
    await button('Save changes').click();
    await page.getByText('Look up an order was saved.').last().waitFor();
  });

  test('delivers the form of a visitor in a signed request', async () => {
    const visitor = await dashboard.newPage();
    await visitor.page.goto(`http://${siteHost}/`);
    const widget = visitor.page.locator('va-wave-widget');
    await widget.getByRole('button').first().click();
    await widget.getByLabel('Your message').fill('The bell is broken');
    await widget.getByRole('button', { name: 'Send' }).click();
    await widget.getByRole('button', { name: 'Send another message' }).waitFor();
    const arrived = dashboard.receiver.to('/contact').at(-1);
    if (arrived === undefined) throw new Error('Nothing arrived');
    expect(JSON.parse(arrived.body.toString()).values).toEqual({ message: 'The bell is broken' });
    const actions = await dashboard.vaWave<{ action_id: string; name: string }[]>(
      'action',
      'list',
      '--site',
      JSON.parse(tag.match(/data-site-id=("[^"]+")/)?.[1] ?? '""'),
    );
    const action = actions.find(({ name }) => name === 'Contact us')?.action_id ?? '';
    const { signing_secret } = await dashboard.vaWave<{ signing_secret: string }>('action', 'secret', action);
    verifyWithStripe(arrived, signing_secret);
    await visitor.context.close();
  });

  test('shows on the Deploy tab that the widget is installed', async () => {
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page
      .getByText(
        /^Installed: the service accepted \d+ requests? during the last 24 hours, \d+ of them in this clock hour$/,
      )
      .waitFor();
  });

  test('shows the server secret once, and warns before it is lost', async () => {
    await page.getByRole('radio', { name: 'Session Signed' }).click();
    await button('Save changes').click();
    await button('Generate Server Secret').click();
    await dialog().getByText('Copy the server secret now').waitFor();
    firstSecret = await copied('Server secret');
    expect(firstSecret).toMatch(/^ss_/);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().getByText('The secret would be lost').waitFor();
    await dialog().getByLabel('I have stored it').click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByText(`Active, ends in ${firstSecret.slice(-6)}`).waitFor();
    expect(await page.content()).not.toContain(firstSecret);
    expect((await createSession(firstSecret)).status).toBe(200);
  });

  test('asks before it regenerates the secret, and the old secret stops working at once', async () => {
    await button('Regenerate Server Secret').click();
    await dialog().getByText('stops working at once').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).last().click();
    expect((await createSession(firstSecret)).status).toBe(200);
    await button('Regenerate Server Secret').click();
    await dialog().getByRole('button', { name: 'Regenerate and stop the old secret' }).click();
    const secret = await copied('Server secret');
    expect((await createSession(firstSecret)).status).toBe(401);
    expect((await createSession(secret)).status).toBe(200);
    await dialog().getByLabel('I have stored it').click();
    await dialog().getByRole('button', { name: 'Done' }).click();
  });

  test('switches off, edits and deletes an Action', async () => {
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByRole('checkbox', { name: 'Tell the CRM enabled' }).click();
    await page.getByText('Tell the CRM is off.').waitFor();
    await button('Edit Look up an order').click();
    await page.getByLabel('Name').fill('Find an order');
    await button('Save changes').click();
    await page.getByText('Find an order was saved.').waitFor();
    await button('More for Find an order').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete Action' }).click();
    await page.getByText('Find an order was deleted.').waitFor();
    expect(await button('Edit Find an order').count()).toBe(0);
  });

  test('does not overwrite the change of a second tab, and keeps the input', async () => {
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Rate Limit (requests/hour)').fill('700');
    const other = await admin.context.newPage();
    await other.goto(page.url());
    await other.getByLabel('Name').fill('Renamed elsewhere');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    await other.close();
    await button('Save changes').click();
    await page.getByText('Another user changed this assistant while you were editing').waitFor();
    await page.getByText('Name: Website → Renamed elsewhere').waitFor();
    await button('Keep my changes').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Renamed elsewhere');
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('700');
    await button('Save changes').click();
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
  });

  test('violates no policy of the page, and writes nothing to its console', () => {
    expect(admin.problems).toEqual([]);
  });

  test('writes no token and no secret to a log, and no call was denied', () => {
    expect(dashboard.service.output()).not.toContain('AccessDenied');
    expect(['eyJ', 'whsec_', firstSecret].filter((text) => dashboard.service.logs().includes(text))).toEqual([]);
  });
}
