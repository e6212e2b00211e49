import type { Page } from 'playwright-core';
import { startServer, type TestServer } from '../../harness/server.ts';
import { flaws, type OrganizationDashboard, open, type StartedDashboard, type Visitor } from './started-dashboard.ts';

/** Follows the first day of an admin in the browser, from an empty organization to the form of a visitor. */
export function testFirstDay(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let admin: Visitor;
  let page: Page;
  let site: TestServer;
  let siteHost: string;
  let siteId = '';
  let tag = '';

  beforeAll(async () => {
    dashboard = started().organization('first-day.example');
    site = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title>${tag}`);
    });
    siteHost = `127.0.0.1:${site.port}`;
    admin = await dashboard.enter();
    page = admin.page;
  });

  afterAll(() => site?.stop());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const createSession = (secret: string) =>
    fetch(`${dashboard.service.apiUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'x-server-key': secret },
    });
  const copied = (label: string) => page.getByRole('region', { name: label, exact: true }).innerText();
  const wrong = () => page.locator('form input[aria-invalid="true"]').count();

  test('names every wrong field of the first assistant, each until it is corrected, and opens its Deploy tab', async () => {
    await page.getByText('No assistants yet').waitFor();
    await button('Create assistant').first().click();
    const focused = (label: string) => dialog().getByLabel(label).and(page.locator(':focus')).waitFor();
    await focused('Name');
    await dialog().getByLabel('Domain').fill('*.shop.example');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    for (const problem of ['Is required.', 'without wildcards', 'Enter a whole number from 1 to']) {
      await dialog().getByText(problem).waitFor();
    }
    expect(await wrong()).toBe(3);
    await focused('Name');
    await page.keyboard.type('Website');
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Website');
    await dialog().getByLabel('Domain').fill(`http://${siteHost}/start`);
    await dialog().getByText('without wildcards').waitFor({ state: 'detached' });
    expect(await wrong()).toBe(1);
    await dialog().getByLabel('Rate Limit (requests/hour)').fill('500');
    await page.keyboard.press('Enter');
    await page.getByText('Website was created.').waitFor();
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
    await page.getByLabel('Would this page be allowed?').fill(`http://${siteHost}/cart`);
    await button('Check page').click();
    await page.getByText(`Yes, by the Domain and the entry ${siteHost}`).waitFor();
    await button(`Remove ${siteHost}`).click();
    await page.getByText('Yes, by the Domain').waitFor({ state: 'detached' });
    await button('Check page').click();
    await page.getByText(`No: ${siteHost} is not in Allowed Domains`).waitFor();
    await button('Discard changes').click();
    await page.getByText('No: ').waitFor({ state: 'detached' });
    await page.getByLabel('New domain').fill('staging.shop.example');
    await button('Add domain').click();
    await button('Save changes').click();
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    tag = await copied('Script tag');
    siteId = tag.match(/data-site-id="(site_[^"]+)"/)?.[1] ?? '';
    expect(siteId).not.toBe('');
  });

  test('names every wrong field and cell of a new Form Action, and derives a key from its label', async () => {
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByText('No Actions yet').waitFor();
    await button('Create Action').first().click();
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByText('Visitors see it as the name of the form.').waitFor();
    await page.getByLabel('Endpoint URL').fill('http://insecure.example/');
    const label = page.getByRole('textbox', { name: 'Label' });
    const key = page.getByRole('textbox', { name: 'Key' });
    await button('Add field').click();
    await label.fill('Größe & Farbe?');
    expect(await key.inputValue()).toBe('gro_e_farbe');
    await key.fill('message');
    await label.fill('Your message');
    expect(await key.inputValue()).toBe('message');
    await button('Add field').click();
    await label.last().fill('Once more');
    await key.last().fill('');
    await button('Create Action').click();
    await page.getByText('Must start with https://.').waitFor();
    await page.getByText('Field 2, Key: Is required.').waitFor();
    expect(await wrong()).toBe(3);
    await page.getByLabel('Name').and(page.locator(':focus')).fill('Contact us');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/contact'));
    await key.last().fill('message');
    await page.getByText('Field 2, Key').waitFor({ state: 'detached' });
    await button('Create Action').click();
    for (const row of [1, 2])
      await page.getByText(`Field ${row}, Key: Must not be the key of another field.`).waitFor();
    expect(await wrong()).toBe(2);
    expect(await flaws(page)).toEqual([]);
    await key.last().fill('mail');
    await page.getByText('Must not be the key of another field.').waitFor({ state: 'detached' });
    expect(await wrong()).toBe(0);
    await button('Remove Once more').click();
    await button('Create Action').click();
    await page.getByText('Contact us was created.').waitFor();
  });

  test('sends a real signed request with the Test button, again from its result, and explains a failure', async () => {
    const parameters = '{"type":"object","properties":{"number":{"type":"integer"}}}';
    const settings = [
      '--url',
      dashboard.receiver.url('/orders'),
      '--description',
      'Finds an order by its number',
      '--parameters',
      parameters,
    ];
    const actionId = await dashboard.addAction(siteId, 'AI-decided', 'Look up an order', ...settings);
    await open(page, dashboard.url(''));
    await open(page, dashboard.url(`/${siteId}/intelligence`));
    await button('Test Look up an order').click();
    await dialog().getByText('Delivered, HTTP status 200').waitFor();
    const sent = await copied('Request');
    expect(sent).toContain('X-Service-Trigger: ai');
    expect(sent).toContain('v1=(not shown)');
    await button('The body, formatted').click();
    const body = sent.slice(sent.indexOf('\n\n') + 2);
    expect(await copied('The body, formatted')).toBe(JSON.stringify(JSON.parse(body), null, 2));
    dashboard.receiver.answer('/orders', [503]);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('Failed, HTTP status 503').waitFor();
    await dialog().getByText('The endpoint responded with an error status').waitFor();
    expect(await dialog().getByText('Does the endpoint verify the signature?').count()).toBe(0);
    dashboard.receiver.answer('/orders', [401]);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('Failed, HTTP status 401').waitFor();
    await dialog().getByText('has the signing secret of this Action').waitFor();
    expect(dashboard.receiver.to('/orders')).toHaveLength(3);
    const command = await copied('Command that reads the signing secret');
    const [, , ...words] = command.split(' ');
    const { signing_secret } = await dashboard.vaWave<{ signing_secret: string }>(...words);
    expect(signing_secret).toMatch(/^whsec_/);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await button('Edit Look up an order').click();
    await page.getByRole('button', { name: `Copy the Action ID ${actionId}` }).waitFor();
  });

  test('edits an Action, shows no request that was not sent, and deletes the Action', async () => {
    await page.getByLabel('Name').fill('Find an order');
    await page.getByLabel('Endpoint URL').fill('https://no-such-host.invalid/orders');
    await button('Save changes').click();
    await page.getByText('Find an order was saved.').waitFor();
    await button('Test Find an order').click();
    await dialog().getByText('The service sent nothing.').waitFor();
    expect(await dialog().getByText('Request', { exact: true }).count()).toBe(0);
    expect(await dialog().getByText('Response', { exact: true }).count()).toBe(0);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await button('More for Find an order').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete Action' }).click();
    await page.getByText('Find an order was deleted.').waitFor();
    expect(await button('Edit Find an order').count()).toBe(0);
  });

  test('delivers the form of a visitor, and shows that the widget is installed', async () => {
    const visitor = await dashboard.newPage();
    await visitor.page.goto(`http://${siteHost}/`);
    const widget = visitor.page.locator('va-wave-widget');
    await widget.getByRole('button').first().click();
    await widget.getByLabel('Your message').fill('The bell is broken');
    await widget.getByRole('button', { name: 'Send' }).click();
    await widget.getByRole('button', { name: 'Send another message' }).waitFor();
    await visitor.context.close();
    const arrived = dashboard.receiver.to('/contact').map(({ body }) => JSON.parse(body.toString()).values);
    expect(arrived.at(-1)).toEqual({ message: 'The bell is broken' });
    await page.getByRole('tab', { name: 'Deploy' }).click();
    const installed =
      /^Installed: the service accepted \d+ requests? during the last 24 hours, \d+ of them in this clock hour$/;
    await page.getByText(installed).waitFor();
  });

  test('shows the server secret once, warns before it is lost, and asks before it stops the old one at once', async () => {
    await page.getByRole('radio', { name: 'Session Signed' }).click();
    const warning = page.getByText('Saving this refuses every page that has only the site ID');
    await warning.waitFor();
    await page.getByText('There is no server secret yet: generate it below.').waitFor();
    // Beside the warning, and beside the script tag.
    await page
      .getByText(/the service accepted \d+ requests? during the last 24 hours/)
      .nth(1)
      .waitFor();
    expect(await flaws(page)).toEqual([]);
    // The secret comes before the save, so that pages can have tokens when the mode changes.
    await button('Generate Server Secret').click();
    await dialog().getByText('Copy the server secret now').waitFor();
    const first = await copied('Server secret');
    expect(first).toMatch(/^ss_/);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().getByText('The secret would be lost').waitFor();
    await dialog().getByLabel('I have stored it').click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await page.getByText(`Active, ends in ${first.slice(-6)}`).waitFor();
    expect(await page.content()).not.toContain(first);
    const mode = async () =>
      (await dashboard.vaWave<{ authentication_mode: string }>('assistant', 'show', siteId)).authentication_mode;
    expect(await mode()).toBe('Allowed Websites');
    await button('Save changes').click();
    await warning.waitFor({ state: 'detached' });
    expect(await mode()).toBe('Session Signed');
    await button('Regenerate Server Secret').click();
    await dialog().getByText('stops working at once').waitFor();
    expect((await createSession(first)).status).toBe(200);
    await dialog().getByRole('button', { name: 'Regenerate and stop the old secret' }).click();
    const second = await copied('Server secret');
    expect((await createSession(first)).status).toBe(401);
    expect((await createSession(second)).status).toBe(200);
    await dialog().getByLabel('I have stored it').click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    expect(admin.problems).toEqual([]);
    expect(dashboard.service.output()).not.toContain('AccessDenied');
    const secrets = ['eyJ', 'whsec_', first, second];
    expect(secrets.filter((text) => dashboard.service.logs().includes(text))).toEqual([]);
  });
}
