import type { Locator } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { framesDrawn } from '../widget/page-state.ts';
import { button, dashboard, page } from './shared-dashboard.ts';
import { flaws, open } from './started-dashboard.ts';

const { admin } = dashboard;
const shop = await dashboard.addOrganization('input.example');
const siteId = await shop.addWebsite('--mode', 'Session Signed');
for (const name of ['Form 1', 'Form 2']) await shop.addAction(siteId, 'Form', name, '--field', 'name:Name:Text');
const url = (tab: string) => shop.url(`/${siteId}/${tab}`);

/** Tests that no click and no input is lost: with a real mouse, on a slow network, and when the user goes back or reloads. */
describe('clicks and input', () => {
  beforeAll(() => shop.enter());

  const toggle = (name: string) => page.getByRole('checkbox', { name: `${name} enabled` });
  const middleOf = async (target: Locator) => {
    const box = await target.boundingBox();
    if (box === null) throw new Error(`${target} is not on the page`);
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  /** Presses the mouse as a hand does. Unlike `click`, it looks for nothing again between the press and the release. */
  const press = async (target: Locator) => {
    await page.mouse.move(...(await middleOf(target)));
    await page.mouse.down();
    await framesDrawn(page);
    await page.mouse.up();
  };
  /** Holds the answers of an operation until the returned function is called. The service has worked by then. */
  const hold = async (method: string, path: string) => {
    const released = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const endInterception = await intercept(page, path, async (route) => {
      if (route.request().method() !== method) return route.fallback();
      const response = await route.fetch();
      reached.resolve();
      await released.promise;
      // A reload has ended the request.
      await route.fulfill({ response }).catch(() => undefined);
      answered.resolve();
    });
    return {
      reached: reached.promise,
      release: async () => {
        released.resolve();
        await answered.promise;
        endInterception();
      },
    };
  };

  test('takes the first press of the mouse after a key showed the focus', async () => {
    await open(page, url('intelligence'));
    await button('Create Action').waitFor();
    for (const name of ['Edit Form 2', 'More for Form 2']) {
      await button(name).focus();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Tab');
      expect(await button(name).and(page.locator(':focus')).count()).toBe(1);
      await press(button(name));
      if (name.startsWith('More')) {
        await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
        await press(page.getByRole('menuitem', { name: 'Delete' }));
        await page.getByRole('dialog').waitFor();
      }
      await page.getByRole('button', { name: 'Cancel', exact: true }).last().click();
      await button(name).waitFor();
    }
  });

  test('shows what two switches have saved whose answers arrive late', async () => {
    await open(page, url('intelligence'));
    await toggle('Form 2').waitFor();
    const names = ['Form 1', 'Form 2'];
    const states = () => Promise.all(names.map((name) => toggle(name).isChecked()));
    const before = await states();
    const released = Promise.withResolvers<void>();
    let answered = 0;
    const endInterception = await intercept(page, '**/actions/*', async (route) => {
      const response = await route.fetch();
      answered++;
      await released.promise;
      await route.fulfill({ response });
    });
    for (const name of names) await toggle(name).click();
    await until(async () => answered === names.length);
    released.resolve();
    for (const name of names) await page.getByText(`${name} is o`).last().waitFor();
    endInterception();
    expect(await states()).toEqual(before.map((on) => !on));
    for (const name of names) await toggle(name).click();
    await until(async () => String(await states()) === String(before));
  });

  test('keeps what is typed while an assistant is saved', async () => {
    await open(page, url('general'));
    await page.getByLabel('Name').fill('First');
    const answer = await hold('PATCH', `**/assistants/${siteId}`);
    await button('Save changes').click();
    await answer.reached;
    await page.getByLabel('Name').fill('Second');
    await page.getByLabel('Rate Limit (requests/hour)').fill('321');
    await answer.release();
    await page.getByText('Saved. The change takes effect').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('321');
    await button('Save changes').click();
    await page.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
    // The end of a form can be scrolled above a message, which disappears with its screen.
    await page.setViewportSize({ width: 390, height: 600 });
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    const [message, command] = await Promise.all(
      [page.locator('.messages'), button('Save changes')].map((part) => part.boundingBox()),
    );
    expect(message?.height).toBeGreaterThan(20);
    expect((command?.y ?? 0) + (command?.height ?? 0)).toBeLessThanOrEqual(message?.y ?? 0);
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.getByRole('tab', { name: 'Deploy' }).click();
    expect(await page.getByText('Saved. The change').count()).toBe(0);
    const stored = await dashboard.vaWave<object>('assistant', 'show', siteId);
    expect(stored).toMatchObject({ name: 'Second', hourly_rate_limit: 321 });
  });

  test('keeps what is typed while an Action is created, in the form of the created Action', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).click();
    await page.getByLabel('Name').fill('Tell the CRM');
    await page.getByRole('button', { name: 'Choose events' }).click();
    await page.getByRole('option', { name: /^conversation\.started/ }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/crm'));
    const answer = await hold('POST', `**/assistants/${siteId}/actions`);
    await button('Create Action').click();
    await answer.reached;
    await page.getByLabel('Name').fill('Tell the CRM and the shop');
    await answer.release();
    await page.getByText('Tell the CRM was created.').waitFor();
    await page.getByText('Action ID').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Tell the CRM and the shop');
    await button('Save changes').click();
    await page.getByText('Tell the CRM and the shop was saved.').waitFor();
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'Event' }).waitFor();
    expect(await page.getByLabel('Name').count()).toBe(0);
  });

  test('keeps the secret that is shown once when the user goes back', async () => {
    const newSiteId = await shop.addWebsite('--mode', 'Session Signed');
    await shop.openAnew(`/${newSiteId}/general`);
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await button('Generate Server Secret').click();
    await page.getByText('Copy the server secret now').waitFor();
    const secret = await page.getByRole('region', { name: 'Server secret', exact: true }).innerText();
    await page.goBack();
    await page.waitForURL(shop.url(`/${newSiteId}/general`));
    await page.getByText('The secret would be lost').waitFor();
    expect(await page.getByRole('region', { name: 'Server secret', exact: true }).innerText()).toBe(secret);
    await page.getByLabel('I have stored it').click();
    await button('Done').click();
    await page.getByText('Copy the server secret now').waitFor({ state: 'detached' });
    const kept = 'JSON.stringify([sessionStorage, localStorage, history.state, document.documentElement.outerHTML])';
    expect(await page.evaluate<string>(kept)).not.toContain(secret);
  });

  test('keeps a secret whose answer arrives after the user went back', async () => {
    await dashboard.vaWave('assistant', 'update', siteId, '--mode', 'session-signed');
    await dashboard.vaWave('secret', 'regenerate', siteId, '--yes');
    await shop.openAnew(`/${siteId}/general`);
    await page.getByRole('tab', { name: 'Deploy' }).click();
    await button('Regenerate Server Secret').click();
    const answer = await hold('POST', '**/server-secret');
    await button('Regenerate and stop the old secret').click();
    await answer.reached;
    // What is being done cannot be cancelled any more.
    await page.keyboard.press('Escape');
    expect(await button('Cancel').last().isDisabled()).toBe(true);
    await page.goBack();
    await answer.release();
    await page.getByText('Copy the server secret now').waitFor();
    await page.getByLabel('I have stored it').click();
    await button('Done').click();
  });

  test('creates an Action once when the page is reloaded before the answer', async () => {
    const actionsBefore = await dashboard.vaWave<unknown[]>('action', 'list', '--site', siteId);
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Only once');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/once'));
    const answer = await hold('POST', `**/assistants/${siteId}/actions`);
    await button('Create Action').click();
    await answer.reached;
    await page.reload();
    await answer.release();
    await page.getByText('Your earlier input is in this form again').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Only once');
    await button('Create Action').click();
    await page.getByText('Only once was created.').waitFor();
    await page.getByText(`The organization uses ${actionsBefore.length + 1} of 50 Actions`).waitFor();
    await button('Edit Only once').waitFor();
  });

  test('creates another Action in a copy of the tab, after it has said that the first tab has created one', async () => {
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('In the tab');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/copy'));
    const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate('void window.open(location.href)')]);
    const create = copy.getByRole('button', { name: 'Create Action' });
    await copy.getByLabel('Name').fill('In the copy');
    await button('Create Action').click();
    await page.getByText('In the tab was created.').waitFor();
    await create.click();
    await copy.getByText('has created this with other input').waitFor();
    await create.click();
    await copy.getByText('In the copy was created.').waitFor();
    await button('Edit In the tab').waitFor();
    await copy.getByRole('button', { name: 'Edit In the tab' }).waitFor();
    await copy.close();
  });

  test('stores no input again that was discarded elsewhere when its creation is refused afterwards', async () => {
    const refused = Promise.withResolvers<void>();
    const endInterception = await intercept(page, '**/actions', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await refused.promise;
      await route.fulfill({ status: 409, json: { success: false, code: 'idempotency_key_reused', error: 'reused' } });
    });
    await open(page, url('intelligence/new'));
    await page.getByRole('radio', { name: 'AI-decided' }).click();
    await page.getByLabel('Name').fill('Discarded');
    await page.getByLabel('Description').fill('Finds an order by its number');
    await page.getByLabel('Endpoint URL').fill(dashboard.receiver.url('/discarded'));
    await button('Create Action').click();
    await page.getByRole('link', { name: 'Assistants' }).first().click();
    await page.getByRole('button', { name: /^Discard the input of Action/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    const answered = page.waitForResponse('**/actions');
    refused.resolve();
    await answered;
    await page.getByText('has created this with other input').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('Discarded');
    endInterception();
  });

  test('keeps the input and the change of another user, says that input was restored, and discards it', async () => {
    await dashboard.vaWave('assistant', 'update', siteId, '--name', 'Second', '--rate-limit', '321');
    await shop.openAnew(`/${siteId}/general`);
    await page.getByLabel('Rate Limit (requests/hour)').fill('700');
    await dashboard.vaWave('assistant', 'update', siteId, '--name', 'Newest', '--rate-limit', '900');
    await button('Save changes').click();
    await page.getByText('The operator changed this assistant while you were editing').waitFor();
    await page.getByText('Name: Second → Newest').waitFor();
    await page.getByText('Rate Limit: 321 → 900 (yours: 700)').waitFor();
    await shop.openAnew(`/${siteId}/general`);
    await page.getByText('Your earlier input is in this form again').waitFor();
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('700');
    expect(await flaws(page)).toEqual([]);
    await button('Save changes').click();
    await button('Keep my changes').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Newest');
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('700');
    await button('Discard changes').click();
    expect(await page.getByLabel('Rate Limit (requests/hour)').inputValue()).toBe('900');
    expect(await page.getByText('Your earlier input is in this form again').count()).toBe(0);
  });

  // It is the last test of the admin's page, because the page keeps the clock.
  test('shows messages without moving the controls under the mouse, and for a limited time', async () => {
    await open(page, url('intelligence'));
    await toggle('Form 2').waitFor();
    await page.clock.install();
    const before = await middleOf(toggle('Form 2'));
    await page.mouse.move(...before);
    await page.mouse.click(...before);
    await page.getByText('Form 2 is off.').waitFor();
    expect(await middleOf(toggle('Form 2'))).toEqual(before);
    await page.mouse.click(...before);
    await page.getByText('Form 2 is on.').waitFor();
    expect([await toggle('Form 1').isChecked(), await toggle('Form 2').isChecked()]).toEqual([true, true]);
    await page.clock.fastForward(60_000);
    await page.getByText('Form 2 is on.').waitFor({ state: 'detached' });
    await admin.context.setOffline(true);
    await toggle('Form 2').click();
    await page.getByText('No connection to the service').waitFor();
    await page.clock.fastForward(60_000);
    expect(await page.getByText('No connection to the service').count()).toBe(1);
    await admin.context.setOffline(false);
    await toggle('Form 2').click();
    await page.getByText('Form 2 is off.').waitFor();
    expect(await page.getByText('No connection to the service').count()).toBe(0);
    expect(admin.problems).toEqual([]);
  });
});
