import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { byDay } from '../../harness/full.ts';
import { until } from '../../harness/until.ts';
import { INIT, refuse } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { focused } from './page-state.ts';
import { harness, STUB } from './shared-harness.ts';
import { tokenFor } from './token.ts';

beforeEach(() => harness.service.reset());

const _EXAMPLE = readFileSync(new URL('../../../examples/conversation-view/view.js', import.meta.url), 'utf8');

// Tests the place for a conversation.

/** A view that stores its context on the window for the test. */
const VIEW = `${STUB}<script>
window.mounts = 0;
window.unmounts = 0;
vaWave('conversation', {
  mount(element, context) {
    window.mounts++;
    window.context = context;
    const input = document.createElement('input');
    input.setAttribute('aria-label', 'Write a message');
    element.append(input);
    return () => { window.unmounts++; };
  },
});
</script>`;

const ask = <T>(page: Page, expression: string) => page.evaluate<T>(`(async () => ${expression})()`);

test('a view with a shadow root of its own keeps the keyboard focus when the window becomes small and when the page replaces its body', async () => {
  const { page, widget } = await harness.visit({
    head: `${STUB}<script>vaWave('conversation', { mount(element) {
      element.attachShadow({ mode: 'open' }).innerHTML = '<input><textarea></textarea>'; } })</script>`,
  });
  await widget.launcher.click();
  await widget.host.locator('input').click();
  const input = widget.host.locator('textarea');
  await input.click();
  await page.keyboard.type('a');
  await page.setViewportSize({ width: 400, height: 700 });
  await widget.host.locator('.full').waitFor();
  await page.keyboard.type('b');
  await page.evaluate(`document.body.innerHTML = '<h1>New page</h1>'`);
  await widget.host.waitFor({ state: 'attached' });
  await page.keyboard.type('c');
  expect(await input.inputValue()).toBe('abc');
});

test('a view is mounted when the panel first opens, with the conversation, the credential and the theme', async () => {
  const { page, widget } = await harness.visit({ head: VIEW }, { colorScheme: 'dark' });
  await widget.launcher.waitFor();
  expect(await ask(page, 'window.mounts')).toBe(0);
  await widget.launcher.click();
  expect(await ask(page, 'window.mounts')).toBe(1);
  expect(await ask(page, 'window.context.conversationId()')).toBe('conversation-1');
  expect(await ask(page, 'window.context.credential()')).toEqual({ 'X-Site-Id': 'site_test' });
  const look = { siteId: 'site_test', language: 'en', direction: 'ltr', theme: 'dark' };
  expect(await ask(page, 'JSON.parse(JSON.stringify(window.context))')).toMatchObject(look);
  // The view asked more than once, and one conversation was started.
  expect(harness.service.to('init').map(({ body }) => body.begin_conversation)).toEqual([false, true]);
});

test('Tab moves from the title through the forms to the view; a form covers it, and Back shows it unchanged', async () => {
  const { page, widget } = await harness.visit({ head: VIEW });
  await widget.launcher.click();
  const order: string[] = [];
  for (let step = 0; step < 4; step++) {
    await page.keyboard.press('Tab');
    order.push(await focused(page));
  }
  expect(order).toEqual(['Close', 'Contact us', 'Call me back', 'Write a message']);
  const input = widget.host.getByLabel('Write a message');
  await input.fill('Half a thought');
  await widget.topic('Call me back').click();
  expect(await input.isVisible()).toBe(false);
  await widget.button('Back').click();
  expect(await input.inputValue()).toBe('Half a thought');
  expect(await ask(page, 'window.mounts')).toBe(1);
});

test('the widget appears with a view and without forms', async () => {
  harness.service.init = ({ body }) => ({
    status: 200,
    body: { ...INIT, forms: [], conversation_id: body.begin_conversation ? 'conversation-1' : null },
  });
  const { page } = await harness.visit({ head: VIEW });
  await widgetOf(page).launcher.click();
  await widgetOf(page).host.getByLabel('Write a message').waitFor();
});

test('the widget reports an error of a view to the page, and shows the forms instead', async () => {
  const { page, errors } = await harness.visit({
    head: `${STUB}<script>vaWave('conversation', { mount() { throw new Error('broken view'); } })</script>`,
  });
  await widgetOf(page).launcher.click();
  await widgetOf(page).topic('Contact us').waitFor();
  await until(() => errors.length === 1);
  expect(errors[0]).toContain('broken view');
});

test('the widget goes with a view that has an error when there is no form: it never shows an empty panel', async () => {
  harness.service.showForms();
  const { page, errors } = await harness.visit({
    head: `${STUB}<script>window.seen = [];
      for (const name of ['open', 'close', 'removed']) addEventListener('va-wave:' + name, () => window.seen.push(name));
      vaWave('conversation', { mount() { throw new Error('broken view'); } })</script>`,
  });
  await widgetOf(page).launcher.click();
  await widgetOf(page).host.waitFor({ state: 'detached' });
  expect(await page.evaluate('window.seen')).toEqual(['open', 'close', 'removed']);
  expect(errors).toHaveLength(1);
});

test('a view that the page sets when another one has an error is shown', async () => {
  const { page } = await harness.visit({
    head: `${STUB}<script>
      addEventListener('error', () => vaWave('conversation', { mount(element) { element.append('Write to us instead'); } }));
      vaWave('conversation', { mount() { throw new Error('broken view'); } })</script>`,
  });
  await widgetOf(page).launcher.click();
  await widgetOf(page).host.getByText('Write to us instead').waitFor();
});

test('the form that the page opens stays when the view has an error', async () => {
  const { page, errors } = await harness.visit({
    head: `${STUB}<script>vaWave('conversation', { mount() { throw new Error('broken view'); } }); vaWave('open', 'contact-us')</script>`,
  });
  await until(() => errors.length === 1);
  await widgetOf(page).field('Message').waitFor();
  await widgetOf(page).button('Back').click();
  await widgetOf(page).topic('Contact us').waitFor();
});

test.each(byDay(1, [null, undefined, 0, '']))(
  'the widget shows the forms when the page sets %j instead of a view',
  async (view) => {
    const { page, errors } = await harness.visit({
      head: `${STUB}<script>vaWave('conversation', ${JSON.stringify(view)})</script>`,
    });
    await widgetOf(page).launcher.click();
    await widgetOf(page).topic('Contact us').waitFor();
    expect(errors).toEqual([]);
  },
);

test('destroy and reset call the function that the view returned', async () => {
  const { page } = await harness.visit({ head: VIEW });
  await widgetOf(page).launcher.click();
  await page.evaluate('vaWave.reset()');
  expect(await ask(page, '[window.mounts, window.unmounts]')).toEqual([2, 1]);
  await page.evaluate('vaWave.destroy()');
  expect(await ask(page, 'window.unmounts')).toBe(2);
});

test('the credential is the newest token, and a view can ask the page for a new one', async () => {
  const [old, next] = [tokenFor('site_test', 'old'), tokenFor('site_test', 'new')];
  const renewing = `<script>addEventListener('va-wave:token-expired', () => vaWave.setSessionToken('${next}'))</script>`;
  const { page } = await harness.visit({ tag: `data-session-token="${old}"`, head: VIEW + renewing });
  await widgetOf(page).launcher.click();
  expect(await ask(page, 'window.context.credential()')).toEqual({ 'X-Session-Token': old });
  expect(await ask(page, 'window.context.renewToken()')).toBe(true);
  expect(await ask(page, 'window.context.credential()')).toEqual({ 'X-Session-Token': next });
});

test('a conversation that fails to start is null, and a view can ask again', async () => {
  const first = harness.service.init;
  harness.service.init = (request) =>
    request.body.begin_conversation === false ? first(request) : refuse(429, 'Rate limit exceeded');
  const { page } = await harness.visit({ head: VIEW });
  await widgetOf(page).launcher.click();
  expect(await ask(page, 'window.context.conversationId()')).toBeNull();
  harness.service.init = first;
  expect(await ask(page, 'window.context.conversationId()')).toBe('conversation-1');
});
