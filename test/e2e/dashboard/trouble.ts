import type { Page } from 'playwright-core';
import { axeFindings, type OrganizationDashboard, type StartedDashboard, type Visitor } from './started-dashboard.ts';

/** Tests failures of the connection, of a part of the page and of input. The page stays, explains the failure, and lets the user continue. */
export function testTrouble(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let siteId: string;
  let admin: Visitor;
  let page: Page;

  beforeAll(async () => {
    dashboard = await started().addOrganization('trouble.example');
    siteId = await dashboard.addWebsite();
    admin = await dashboard.logIn('admin');
    page = admin.page;
  });

  afterAll(() => admin?.context.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const url = (tab: string) => `${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}/${siteId}/${tab}`;
  const actionsOfOrganization = '**/api/dashboard/organizations/*/actions';

  test('offers to try again when a part cannot be loaded, and the other tabs still work', async () => {
    await page.goto(url('general'));
    await page.getByLabel('Name').fill('Typed before it broke');
    await admin.context.setOffline(true);
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByText('This part of the page could not be loaded').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'General' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before it broke');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await button('Try again').click();
    await button('Try again').and(page.locator(':not([aria-disabled])')).waitFor();
    await page.getByText('This part of the page could not be loaded').waitFor();
    await admin.context.setOffline(false);
    await button('Try again').click();
    await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before it broke');
    await button('Discard changes').click();
  });

  test('offers to try again when the file of a part is gone after a new deployment', async () => {
    const gone: string[] = [];
    const chunk = /\/dashboard\/assets\/deploy-[^/]+\.js$/;
    await page.route(chunk, (route) => {
      gone.push(route.request().url());
      return route.fulfill({ status: 404, contentType: 'text/plain', body: 'Not found' });
    });
    await page.goto(url('general'));
    await page.getByLabel('Name').fill('Typed before the deployment');
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await page.getByText('This part of the page could not be loaded').waitFor();
    expect(gone).toHaveLength(1);
    // The page reloads and shows the same tab. The file is still missing, and the page does not reload in a loop.
    const loaded = page.waitForEvent('load');
    await button('Try again').click();
    await loaded;
    await page.getByText('This part of the page could not be loaded').waitFor();
    expect(gone).toHaveLength(2);
    await page.unroute(chunk);
    await button('Try again').click();
    await page.getByRole('heading', { name: 'Authentication', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the deployment');
    await button('Discard changes').click();
  });

  test('shows no number of Actions while they are loading', async () => {
    const waiting = Promise.withResolvers<void>();
    await page.route(actionsOfOrganization, async (route) => {
      await waiting.promise;
      await route.continue();
    });
    await page.goto(url('intelligence'));
    await page.getByText('Loading Actions').waitFor();
    expect(await page.getByText('of 50').count()).toBe(0);
    waiting.resolve();
    await page.getByText('The organization uses 0 of 50 Actions').waitFor();
    await page.unroute(actionsOfOrganization);
  });

  test('keeps the other tabs when one tab fails', async () => {
    await page.route(actionsOfOrganization, (route) =>
      route.fulfill({
        json: { actions: [{ action_id: 'act_1', site_id: siteId, trigger: 'Event', name: 'No list' }] },
      }),
    );
    await page.goto(url('intelligence'));
    await page.getByText('This part of the page failed').waitFor();
    await page.getByRole('tab', { name: 'General' }).click();
    await page.getByLabel('Name').waitFor();
    await page.getByRole('tab', { name: 'Intelligence' }).click();
    await page.getByText('This part of the page failed').waitFor();
    await page.unroute(actionsOfOrganization);
    await button('Try again').click();
    await page.getByText('No Actions yet').waitFor();
  });

  test('shows a message and a button without the API, and no empty page', async () => {
    const me = '**/api/dashboard/me';
    await page.route(me, (route) => route.abort());
    await page.reload();
    await page.getByText('No connection to the service').waitFor();
    await page.unroute(me);
    await button('Try again').click();
    await page.getByText('No Actions yet').waitFor();
  });

  test('names every wrong field of a new assistant at once, and each until it is corrected', async () => {
    await page.goto(`${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}`);
    await button('Create assistant').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Domain').fill('*.shop.example');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Is required.').waitFor();
    await dialog.getByText('without wildcards').waitFor();
    await dialog.getByText('Enter a whole number from 1 to').waitFor();
    const wrong = () => dialog.locator('input[aria-invalid="true"]').count();
    expect(await wrong()).toBe(3);
    await dialog.getByLabel('Domain').fill('shop.example');
    await dialog.getByText('without wildcards').waitFor({ state: 'detached' });
    expect(await wrong()).toBe(2);
    await dialog.getByText('Is required.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('marks only the wrong cell in the table of form fields, with its row and column', async () => {
    await page.goto(url('intelligence/new'));
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByLabel('Endpoint URL').fill('https://crm.example/');
    for (const key of ['email', 'email', '']) {
      await button('Add field').click();
      await page.getByRole('textbox', { name: 'Label' }).last().fill(`Your ${key}`);
      await page.getByRole('textbox', { name: 'Key' }).last().fill(key);
    }
    await button('Create Action').click();
    await page.getByText('Field 3, Key: Is required.').waitFor();
    await page.getByText('Is required.', { exact: true }).waitFor();
    const wrong = () => page.locator('form input[aria-invalid="true"]').count();
    expect(await wrong()).toBe(2);
    await page.getByRole('textbox', { name: 'Key' }).last().fill('phone');
    await page.getByText('Field 3, Key').waitFor({ state: 'detached' });
    expect(await wrong()).toBe(1);
    await page.getByLabel('Name').fill('Contact us');
    await button('Create Action').click();
    await page.getByText('Field 1, Key: Must not be the key of another field.').waitFor();
    await page.getByText('Field 2, Key: Must not be the key of another field.').waitFor();
    expect(await wrong()).toBe(2);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Key' }).first().fill('mail');
    await page.getByText('Field 1, Key').waitFor({ state: 'detached' });
    await page.getByText('Field 2, Key').waitFor({ state: 'detached' });
    expect(await wrong()).toBe(0);
    await button('Cancel').click();
  });

  test('marks each wrong entry of a response field map', async () => {
    await page.goto(url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Find an order');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill('https://crm.example/');
    await page.getByRole('checkbox', { name: 'Feed the response back' }).click();
    for (const path of ['status', '$.status']) {
      await button('Add entry').click();
      await page.getByPlaceholder('$.order.status').last().fill(path);
    }
    await page.getByPlaceholder('status', { exact: true }).first().fill('state');
    await button('Create Action').click();
    await page.getByText('Entry 1: Enter a path').waitFor();
    await page.getByText('Entry 2: Enter a name').waitFor();
    await button('Discard changes').click();
  });

  test('shows that the page is loading before any script runs', async () => {
    const html = await (await fetch(url('general'))).text();
    expect(html).toContain('The dashboard is loading. If it does not appear, reload the page.');
  });
}
