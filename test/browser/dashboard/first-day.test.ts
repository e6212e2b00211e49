import { button, dashboard, page } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const HOST = 'shop.example:8080';
const { service, receiver } = dashboard;
const shop = await dashboard.addOrganization('first-day.example');

/** Follows the first day of an admin in the browser, from an empty organization to the server secret. */
describe('the first day', () => {
  let siteId = '';
  beforeAll(() => shop.enter());

  const dialog = () => page.getByRole('dialog');
  const createSession = (secret: string) =>
    fetch(`${service.apiUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'x-server-key': secret },
    });
  const copied = (label: string) => page.getByRole('region', { name: label, exact: true }).innerText();
  const wrong = () => page.locator('form input[aria-invalid="true"]').count();

  test('names every wrong field of the first assistant, each until it is corrected, and opens its Deploy tab', async () => {
    await page.getByText('No assistants yet').waitFor();
    await button('Create assistant').click();
    const focused = (label: string) => dialog().getByLabel(label).and(page.locator(':focus')).waitFor();
    await focused('Name');
    await dialog().getByLabel('Domain').fill('*.shop.example');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    for (const problem of ['Is required.', 'without wildcards', 'Enter a whole number from 1 to']) {
      await dialog().getByText(problem).first().waitFor();
    }
    expect(await wrong()).toBe(3);
    await focused('Name');
    await page.keyboard.type('Website');
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Website');
    await dialog().getByLabel('Domain').fill(`http://${HOST}/start`);
    await dialog().getByText('without wildcards').first().waitFor({ state: 'detached' });
    expect(await wrong()).toBe(1);
    await dialog().getByLabel('Rate Limit (requests/hour)').fill('500');
    await page.keyboard.press('Enter');
    await page.getByText('Website was created.').waitFor();
    await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
    await button(`Remove ${HOST}`).waitFor();
  });

  test('normalizes domains, refuses wildcards, and checks a page', async () => {
    await page.getByLabel('New domain').fill('*.shop.example');
    await button('Add domain').click();
    await page.getByText('*.shop.example: Must be a host such as example.com').waitFor();
    await page.getByLabel('New domain').fill('HTTP://WWW.shop.example/anything');
    await page.getByLabel('New domain').press('Enter');
    await button('Remove www.shop.example').waitFor();
    await page.getByLabel('Would this page be allowed?').fill('https://www.shop.example/');
    await button('Check page').click();
    await page.getByText(`No: the Domain (General tab) is ${HOST}`).waitFor();
    await page.getByLabel('Would this page be allowed?').fill(`http://${HOST}/cart`);
    await button('Check page').click();
    await page.getByText(`Yes, by the Domain and the entry ${HOST}`).waitFor();
    await button(`Remove ${HOST}`).click();
    await page.getByText(`No: ${HOST} is not in Allowed Domains`).waitFor();
    await button('Discard changes').click();
    await page.getByText(`Yes, by the Domain and the entry ${HOST}`).waitFor();
    await page.getByLabel('New domain').fill('staging.shop.example');
    await button('Add domain').click();
    await button('Save changes').click();
    await page.getByText('Saved. The change takes effect with the next request.').last().waitFor();
    const tag = await copied('Script tag');
    siteId = /data-site-id="(site_[^"]+)"/.exec(tag)?.[1] ?? '';
    expect(tag).toContain(`<script async src="${service.baseUrl}/static/va-wave-widget.js"`);
  });

  test('names every wrong field and cell of a new Form Action, and derives a key from its label', async () => {
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByText('No Actions yet').waitFor();
    await button('Create Action').click();
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByText('Visitors see it as the name of the form.').waitFor();
    await page.getByLabel('Endpoint URL').fill('http://insecure.example/');
    const label = page.getByRole('textbox', { name: 'Label' });
    const key = page.getByRole('textbox', { name: 'Key' });
    await button('Add field').click();
    await label.fill('Größe & Farbe?');
    expect(await key.inputValue()).toBe('grosse_farbe');
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
    await page.getByLabel('Endpoint URL').fill(receiver.url('/contact'));
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
      receiver.url('/orders'),
      '--description',
      'Finds an order by its number',
      '--parameters',
      parameters,
    ];
    const actionId = await shop.addAction(siteId, 'AI-decided', 'Look up an order', ...settings);
    await open(page, shop.url(''));
    await open(page, shop.url(`/${siteId}/intelligence`));
    await button('Test Look up an order').click();
    await dialog().getByText('Delivered, HTTP status 200').waitFor();
    const sent = await copied('Request');
    expect(sent).toContain('X-Service-Trigger: ai');
    expect(sent).toContain('v1=(not shown)');
    await button('The body, formatted').click();
    const body = sent.slice(sent.indexOf('\n\n') + 2);
    expect(await copied('The body, formatted')).toBe(JSON.stringify(JSON.parse(body), null, 2));
    receiver.answer('/orders', [503]);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('Failed, HTTP status 503').waitFor();
    await dialog().getByText('The endpoint responded with an error status').waitFor();
    expect(await dialog().getByText('Does the endpoint verify the signature?').count()).toBe(0);
    receiver.answer('/orders', [401]);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('Failed, HTTP status 401').waitFor();
    await dialog().getByText('has the signing secret of this Action').waitFor();
    expect(receiver.to('/orders')).toHaveLength(3);
    const command = await copied('Command that reads the signing secret');
    const [, words = ''] = command.split(' va-wave ');
    const { signing_secret } = await dashboard.vaWave<{ signing_secret: string }>(...words.split(' '));
    expect(signing_secret).toMatch(/^whsec_/);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await button('Edit Look up an order').click();
    await page.getByRole('button', { name: `Copy the Action ID ${actionId}` }).waitFor();
  });

  test('edits an Action, shows no request that was not sent, and deletes the Action', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Find an order');
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

  test('shows that the widget is installed', async () => {
    const headers = { 'x-site-id': siteId, origin: `http://${HOST}` };
    expect((await fetch(`${service.baseUrl}/api/widget/init`, { method: 'POST', headers })).status).toBe(200);
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
    // A session that the backend creates is counted too, and shows no page with the widget.
    await page.getByText(/^The service accepted \d+ requests? of the widget and of your backend during/).waitFor();
    expect(await page.getByText('Installed').count()).toBe(0);
    await button('Regenerate Server Secret').click();
    await dialog().getByText('stops working at once').waitFor();
    expect((await createSession(first)).status).toBe(200);
    await dialog().getByRole('button', { name: 'Regenerate and stop the old secret' }).click();
    const second = await copied('Server secret');
    expect((await createSession(first)).status).toBe(401);
    expect((await createSession(second)).status).toBe(200);
    await dialog().getByLabel('I have stored it').click();
    await dialog().getByRole('button', { name: 'Done' }).click();
    expect(dashboard.admin.problems).toEqual([]);
    expect(service.output()).not.toContain('AccessDenied');
    const secrets = ['eyJ', 'whsec_', first, second];
    expect(secrets.filter((text) => service.logs().includes(text))).toEqual([]);
  });
});
