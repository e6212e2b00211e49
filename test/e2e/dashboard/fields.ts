import type { Page } from 'playwright-core';
import { until } from '../widget/harness.ts';
import { axeFindings, type OrganizationDashboard, type StartedDashboard, type Visitor } from './started-dashboard.ts';

/** Tests where the focus is, what the title of the page is, and what the fields say before a save. */
export function testFields(started: () => StartedDashboard): void {
  let dashboard: OrganizationDashboard;
  let siteId: string;
  let admin: Visitor;
  let page: Page;

  beforeAll(async () => {
    dashboard = await started().addOrganization('fields.example');
    siteId = await dashboard.addWebsite();
    admin = await dashboard.logIn('admin');
    page = admin.page;
  });

  afterAll(() => admin?.context.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const url = (tab: string) => `${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}/${siteId}/${tab}`;
  const titled = (title: string) => until(async () => (await page.title()) === title);

  test('the dialog of a new assistant takes what is typed at once as its name', async () => {
    await button('Create assistant').first().click();
    await dialog().getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('My shop');
    expect(await dialog().getByLabel('Name').inputValue()).toBe('My shop');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await dialog().getByText('Enter a whole number from 1 to').waitFor();
    await dialog().getByLabel('Rate Limit (requests/hour)').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('10');
    await page.keyboard.press('Enter');
    await page.getByText('My shop was created.').waitFor();
  });

  test('warns of an empty Domain on the tabs and in the list', async () => {
    const warning = page.getByText('The widget appears on no page');
    await warning.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'General' }).click();
    await warning.waitFor();
    await page.getByRole('link', { name: 'Assistants' }).click();
    await page.getByText('On, but no Domain').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Website' }).click();
    await page.getByLabel('Domain').waitFor();
    expect(await warning.count()).toBe(0);
  });

  test('has a title per screen, and moves the focus to a new screen but not to a new tab', async () => {
    await page.goto(`${dashboard.service.baseUrl}/dashboard/${dashboard.orgId}`);
    await titled('Assistants of Corner Shop · va-wave');
    await page.getByRole('link', { name: 'Website' }).click();
    await titled('General, Website · va-wave');
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

  test('moves the focus to the first wrong field of a refused form', async () => {
    await page.goto(url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Endpoint URL').fill('http://insecure.example/');
    await button('Create Action').click();
    await page.getByText('Must start with https://.').waitFor();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByText('Visitors see it as the name of the form.').waitFor();
  });

  test('warns of a host that is not public before a save, but not of a name that is being typed', async () => {
    const warning = page.getByText('The service may block this host');
    const local = ['https://localhost', 'https://crm.internal/hook', 'https://printer.local:8443/', 'https://crm/hook'];
    for (const endpoint of ['https://10.0.0.1/', 'https://[fd00::1]/', ...local]) {
      await page.getByLabel('Endpoint URL').fill(endpoint);
      await warning.waitFor();
      for (const fine of ['https://crm', 'https://crm.', 'https://crm.shop.com/hook']) {
        await page.getByLabel('Endpoint URL').fill(fine);
        expect(await warning.count()).toBe(0);
      }
    }
    await page.getByLabel('Endpoint URL').fill('https://localhost');
    await warning.waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('checks each IP address when it is added', async () => {
    await page.goto(url('deploy'));
    const field = page.getByLabel('New address');
    for (const wrong of ['localhost', '999.1.1.1', '10.0.0.0/8']) {
      await field.fill(wrong);
      await button('Add address').click();
      await page.getByText('Enter an IPv4 or IPv6 address').waitFor();
      expect(await button(`Remove ${wrong}`).count()).toBe(0);
      await field.fill('');
    }
    await field.fill('2001:DB8::0:7');
    await field.press('Enter');
    await button('Remove 2001:db8::7').waitFor();
  });

  test('marks every wrong entry of a refused list', async () => {
    // Input from before the addresses were checked at once.
    await page.evaluate(`(() => {
      const name = 'va-wave.draft.${siteId}.deploy';
      const draft = JSON.parse(sessionStorage.getItem(name));
      draft.values.ip_allowlist = ['nowhere', '203.0.113.7', '999.1.1.1'];
      sessionStorage.setItem(name, JSON.stringify(draft));
    })()`);
    await page.reload();
    await button('Save changes').click();
    await page.getByText('nowhere: Must be an IPv4 or IPv6 address. 999.1.1.1: Must be').waitFor();
    expect(await page.getByRole('img', { name: 'Not valid' }).count()).toBe(2);
    expect(await axeFindings(page)).toEqual([]);
    await button('Discard changes').click();
  });

  test('duplicates an Action with everything that its form does not show, and keeps an unfinished new Action', async () => {
    const parameters = { properties: { number: { type: 'string' } }, required: ['number'] };
    const { action_id } = await dashboard.vaWave<{ action_id: string }>(
      'action',
      'create',
      ...[
        '--site',
        siteId,
        '--trigger',
        'AI-decided',
        '--name',
        'Find an order',
        '--url',
        dashboard.receiver.url('/o'),
      ],
      ...['--description', 'Finds an order by its number', '--parameters', JSON.stringify(parameters)],
    );
    await page.goto(url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Unfinished');
    await page.goto(url('intelligence'));
    await button('More for Find an order').click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByLabel('Description').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Copy of Find an order');
    await page.getByLabel('Name').fill('Find a parcel');
    await button('Create Action').click();
    await page.getByText('Find a parcel was created.').waitFor();
    const actions = await dashboard.vaWave<{ action_id: string; name: string }[]>('action', 'list', '--site', siteId);
    const [original, copy] = ['Find an order', 'Find a parcel'].map((wanted) => {
      const { action_id, name, slug, created_at, updated_at, ...settings }: Record<string, unknown> =
        actions.find(({ name }) => name === wanted) ?? {};
      return settings;
    });
    expect(original).toMatchObject({ parameters: { required: ['number'] }, enabled: true });
    expect(copy).toEqual({ ...original, enabled: false });
    await page.goto(url('intelligence/new'));
    expect(await page.getByLabel('Name').inputValue()).toBe('Unfinished');
    await button('Discard changes').click();
    await dashboard.vaWave('action', 'delete', action_id, '--yes');
  });

  test('sends a test again from its result', async () => {
    await page.goto(url('intelligence'));
    const before = dashboard.receiver.to('/o').length;
    await button('Test Find a parcel').click();
    await dialog().getByText('Delivered, HTTP status 200').waitFor();
    dashboard.receiver.answer('/o', [503]);
    await dialog().getByRole('button', { name: 'Send again' }).click();
    await dialog().getByText('Failed, HTTP status 503').waitFor();
    dashboard.receiver.answer('/o', [200]);
    expect(dashboard.receiver.to('/o').length - before).toBe(2);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  test('derives the key of a new field from its label until the key is typed, and never that of a stored field', async () => {
    await dashboard.vaWave(
      'action',
      'create',
      ...['--site', siteId, '--trigger', 'Form', '--name', 'Contact us', '--url', dashboard.receiver.url('/o')],
      ...['--field', 'email:Email:Email:required'],
    );
    await page.goto(url('intelligence'));
    await button('Edit Contact us').click();
    await page.getByRole('textbox', { name: 'Label' }).fill('Your email');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('email');
    await button('Add field').click();
    const [label, key] = ['Label', 'Key'].map((name) => page.getByRole('textbox', { name }).last());
    await label?.fill('Größe & Farbe?');
    expect(await key?.inputValue()).toBe('gro_e_farbe');
    await key?.fill('size');
    await label?.fill('Size');
    expect(await key?.inputValue()).toBe('size');
    await button('Discard changes').click();
  });

  test('shows a form as visitors see it, while it is edited', async () => {
    await button('Preview').click();
    const preview = page.getByRole('dialog', { name: 'Contact us' });
    await preview.getByRole('textbox', { name: 'Email' }).fill('nobody');
    await preview.getByRole('button', { name: 'Send' }).click();
    await preview.getByText('Please enter an email address').waitFor();
    const label = page.getByRole('textbox', { name: 'Label' });
    await label.fill('Your email');
    await label.and(page.locator(':focus')).waitFor();
    for (const width of [390, 1366]) {
      await page.setViewportSize({ width, height: 768 });
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    }
    const before = dashboard.receiver.to('/o').length;
    await preview.getByRole('textbox', { name: 'Your email' }).fill('ada@shop.example');
    await preview.getByRole('button', { name: 'Send' }).click();
    await preview.getByRole('heading', { name: 'Thank you!' }).waitFor();
    expect(dashboard.receiver.to('/o').length).toBe(before);
    await button('Discard changes').click();
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  test('says of what an organization has at most 50', async () => {
    // As the service answers (test/domain/actions/manage-actions.test.ts). Fifty Actions take longer than all other steps of this test.
    const TOO_MANY = 'actions: an organization has at most 50 Actions';
    await page.route('**/actions', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ json: { actions: [], unreadable: [] } })
        : route.fulfill({
            status: 409,
            json: { success: false, code: 'too_many_actions', error: TOO_MANY },
          }),
    );
    await page.goto(url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('One more');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill('https://crm.shop.com/hook');
    await button('Create Action').click();
    await page.getByText('An organization has at most 50 Actions.').waitFor();
    expect(admin.problems).toEqual([]);
  });
}
