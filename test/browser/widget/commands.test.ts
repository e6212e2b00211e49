import type { Page } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { CONTACT_FORM, INIT, type Reply, refuse } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { startingAt } from './page-state.ts';
import { harness, STUB } from './shared-harness.ts';
import { tokenFor, userToken } from './token.ts';

beforeEach(() => harness.service.reset());

// Tests what the page can tell the widget, and what the widget tells the page.

/** A page that counts the widget's events. */
const COUNTING = `<script>
window.seen = [];
for (const name of ['ready', 'open', 'close', 'submitted', 'token-expired'])
  addEventListener('va-wave:' + name, ({ detail }) => window.seen.push(detail ? [name, detail] : name));
</script>`;
const seen = (page: Page) => page.evaluate<unknown[]>('window.seen');
const say = (page: Page, ...call: unknown[]) => page.evaluate(`window.vaWave(...${JSON.stringify(call)})`);
const begun = () => harness.service.to('init').filter(({ body }) => body.begin_conversation === true);

describe('the stub', () => {
  test('keeps calls for the loader in their order', async () => {
    const calls = `<script>
    vaWave('texts', { launcher: 'Ask the bike shop' });
    vaWave('hide');
    vaWave('prefill', { name: 'Ada Lovelace', email: 'ada@example.com' });
    vaWave('open', 'contact-us');
    vaWave('no-such-command', 1);
  </script>`;
    const { errors, widget } = await harness.visit({ head: `${STUB}${calls}` });
    await widget.dialog.waitFor();
    expect(await widget.launcher.isVisible()).toBe(false);
    expect(await widget.launcher.getAttribute('aria-label')).toBe('Ask the bike shop');
    expect(await widget.field('Your name').inputValue()).toBe('Ada Lovelace');
    expect(errors).toEqual([]);
  });

  test('ignores invalid calls, and accepts calls with an `arguments` object', async () => {
    const junk = `<script>vaWave(); vaWave(null); vaWave('__proto__'); vaWave('constructor'); vaWave('texts'); vaWave('prefill', 5);
    vaWave.q.push(7, null); (function () { vaWave.q.push(arguments); })('open');</script>`;
    const { page, errors } = await harness.visit({ head: `${STUB}${junk}` });
    await widgetOf(page).dialog.waitFor();
    expect(errors).toEqual([]);
  });

  test('is restored when authentication fails, so that the page’s button causes no error', async () => {
    harness.service.init = () => refuse(401, 'Widget site is disabled');
    const { page, errors, settled } = await harness.visit({ head: STUB });
    await settled();
    await page.waitForFunction('Array.isArray(vaWave.q)');
    expect(harness.service.to('init')).toHaveLength(1);
    await say(page, 'open');
    expect(await page.evaluate('vaWave.q')).toEqual([['open']]);
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('keeps calls after destroy for the next start', async () => {
    const { page } = await harness.visit({ head: STUB });
    await widgetOf(page).launcher.waitFor();
    await say(page, 'destroy');
    await say(page, 'open');
    await page.evaluate(startingAt(harness.service.url));
    await widgetOf(page).dialog.waitFor();
  });
});

describe('a conversation', () => {
  test('starts when the panel opens for the first time, not when the page loads', async () => {
    const { page, widget, settled } = await harness.visit({ head: COUNTING });
    await settled();
    expect(harness.service.to('init').map(({ body }) => body.begin_conversation)).toEqual([false]);
    await widget.launcher.click();
    await settled();
    await page.keyboard.press('Escape');
    await widget.launcher.click();
    await page.reload();
    await widget.launcher.click();
    await widget.topic('Contact us').click();
    await settled();
    expect(begun()).toHaveLength(1);
    expect(harness.service.to('init').at(-1)?.body.conversation_id).toBe('conversation-1');
  });

  test('does not keep the visitor from typing while it starts; the submission waits for it', async () => {
    const begun = Promise.withResolvers<Reply>();
    const first = harness.service.init;
    harness.service.init = (request) => (request.body.begin_conversation === false ? first(request) : begun.promise);
    const { widget } = await harness.visit();
    await widget.filledForm();
    await widget.send.click();
    await widget.text('Sending…');
    expect(harness.service.to('submit')).toEqual([]);
    begun.resolve({ status: 200, body: INIT });
    await widget.text('Thank you!');
    expect(harness.service.to('submit').map(({ body }) => body.conversation_id)).toEqual(['conversation-1']);
  });

  test('that fails to start keeps the draft, and starts with the next attempt', async () => {
    const first = harness.service.init;
    const failing = (reply: Reply) => {
      harness.service.init = (request) => (request.body.begin_conversation === false ? first(request) : reply);
    };
    failing('hang up');
    const { widget } = await harness.visit();
    await widget.filledForm();
    const failures: [Reply, string][] = [
      ['hang up', 'could not be reached'],
      [refuse(429, 'Rate limit exceeded'), 'Too many messages'],
      [refuse(500, 'Internal error'), 'could not be delivered'],
    ];
    for (const [reply, text] of failures) {
      failing(reply);
      await widget.send.click();
      await widget.alert.getByText(text).waitFor();
    }
    expect(harness.service.to('submit')).toEqual([]);
    expect(await widget.field('Message').inputValue()).toBe('Twelve bikes, please.');
    harness.service.init = first;
    await widget.submit();
  });

  test('starts with a renewed token when the token has expired before', async () => {
    const [old, next] = [tokenFor('site_test', 'old'), tokenFor('site_test', 'new')];
    const first = harness.service.init;
    harness.service.init = (request) =>
      request.body.begin_conversation === true && request.headers['x-session-token'] === old
        ? refuse(401, 'Invalid or expired session token')
        : first(request);
    const renewing = `<script>addEventListener('va-wave:token-expired', () => vaWave.setSessionToken('${next}'))</script>`;
    const { widget } = await harness.visit({ tag: `data-session-token="${old}"`, head: renewing });
    await widget.filledForm();
    await widget.submit();
    expect(harness.service.to('submit').map(({ headers }) => headers['x-session-token'])).toEqual([next]);
  });
});

describe('the launcher', () => {
  test('can be hidden and shown; a button of the page opens the panel, which then is in the corner', async () => {
    const own = `<button onclick="vaWave('open')">Ask us</button>`;
    const { page, widget } = await harness.visit({ body: own, head: `${STUB}<script>vaWave('hide')</script>` });
    await widget.launcher.waitFor({ state: 'attached' });
    expect(await widget.launcher.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Ask us' }).click();
    const box = await widget.dialog.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(760 - 20);
    await page.keyboard.press('Escape');
    await say(page, 'show');
    expect(await widget.launcher.isVisible()).toBe(true);
    await page.evaluate('vaWave.hide()');
    expect(await widget.launcher.isVisible()).toBe(false);
  });

  test('does not appear without a form: no event reports that it is ready, and data-debug says why', async () => {
    harness.service.showForms();
    const { page, logged } = await harness.visit({ head: COUNTING, tag: 'data-site-id="site_test" data-debug="true"' });
    await until(() => logged.length > 0);
    expect(logged).toEqual([expect.stringContaining('nothing to show')]);
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    await say(page, 'open');
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    expect(await seen(page)).toEqual([]);
  });
});

test('events report to the page what happened, and never contain the input of the visitor', async () => {
  const { page, widget } = await harness.visit({ head: COUNTING });
  await widget.filledForm();
  await widget.submit();
  await page.keyboard.press('Escape');
  await say(page, 'close');
  expect(await seen(page)).toEqual([
    'ready',
    'open',
    ['submitted', { form: 'contact-us', submission_id: 'submission-1' }],
    'close',
  ]);
});

test('open shows the form that it names, or the list when no such form exists', async () => {
  const { page, widget } = await harness.visit({ head: STUB });
  await say(page, 'open', 'call-me-back');
  await page.getByRole('dialog', { name: 'Call me back' }).waitFor();
  await say(page, 'open', 'contact-us');
  await page.getByRole('dialog', { name: 'Contact us' }).waitFor();
  await widget.button('Back').click();
  await say(page, 'close');
  await say(page, 'open', 'no-such-form');
  await page.getByRole('dialog', { name: 'How can we help?' }).waitFor();
});

describe('toggle, isOpen and unread', () => {
  test('toggle opens and closes, also before the start', async () => {
    const calls = `<script>vaWave('toggle'); vaWave('toggle'); vaWave('toggle');</script>`;
    const { page } = await harness.visit({ head: `${STUB}${calls}` });
    await widgetOf(page).dialog.waitFor();
    expect(await say(page, 'isOpen')).toBe(true);
    await say(page, 'toggle');
    expect([await widgetOf(page).dialog.count(), await page.evaluate('vaWave.isOpen()')]).toEqual([0, false]);
    await say(page, 'toggle');
    await widgetOf(page).dialog.waitFor();
  });

  test('unread shows a number on the launcher until the panel opens, and tells the page', async () => {
    const counting = `<script>window.counts = [];
      addEventListener('va-wave:unread', ({ detail }) => window.counts.push(detail.count));</script>`;
    const { page } = await harness.visit({ head: counting });
    const { launcher, host } = widgetOf(page);
    await launcher.waitFor();
    const badge = host.locator('.badge');
    expect(await badge.isVisible()).toBe(false);
    for (const count of [2, 2, 120, -1, 'many', null, 7.9]) await say(page, 'unread', count);
    expect(await badge.innerText()).toBe('7');
    expect(await launcher.locator('svg:visible').count()).toBe(1);
    expect(await launcher.getAttribute('aria-label')).toBe('Help and contact. Unread messages: 7');
    // The number survives a new build of the widget.
    await say(page, 'texts', { launcher: 'Ask us' });
    expect(await launcher.getAttribute('aria-label')).toBe('Ask us. Unread messages: 7');
    await launcher.click();
    expect([await badge.isVisible(), await launcher.getAttribute('aria-label')]).toEqual([false, 'Ask us']);
    expect(await page.evaluate('window.counts')).toEqual([2, 120, 0, 7, 0]);
  });
});

test('a title of 100 characters is completely visible, and the form can be sent', async () => {
  for (const name of ['Long '.repeat(20), 'W'.repeat(100)]) {
    harness.service.showForms({ ...CONTACT_FORM, name });
    const { page, widget } = await harness.visit();
    await widget.launcher.click();
    for (const viewport of [
      { width: 1366, height: 768 },
      { width: 320, height: 568 },
    ]) {
      await page.setViewportSize(viewport);
      const cut = await widget.host
        .locator('.bar')
        .evaluate((bar) => [bar, ...bar.children].some((node) => node.scrollHeight > node.clientHeight + 1));
      expect([name, viewport, cut]).toEqual([name, viewport, false]);
    }
    await widget.fill();
    await widget.submit();
  }
});

describe('prefill', () => {
  const visitor = { name: 'Ada Lovelace', email: 'ada@example.com' };

  test('fills only name and email, and sends nothing before the visitor does', async () => {
    const trap = [
      ...CONTACT_FORM.fields,
      { key: 'full_name', label: 'Who', type: 'Long text', required: false },
      { key: 'company', label: 'Company', type: 'Text', required: false },
    ];
    harness.service.showForms({ ...CONTACT_FORM, fields: trap });
    const { page, widget } = await harness.visit();
    await widget.launcher.click();
    await say(page, 'prefill', { ...visitor, message: 'injected', phone: '1', company: 'x' });
    const values = await widget.host
      .locator('input, textarea')
      .evaluateAll((fields) => fields.map(({ name, value }) => [name, value]).filter(([, value]) => value !== ''));
    expect(values).toEqual([
      ['field-name', visitor.name],
      ['field-email', visitor.email],
    ]);
    expect(harness.service.to('submit')).toEqual([]);
    await widget.field('Message').fill('Hello');
    await widget.send.click();
    await widget.button('Send another message').click();
    expect(await widget.field('Your name').inputValue()).toBe(visitor.name);
  });

  test('fills a field of any type by its key, before name and email', async () => {
    const { page, widget } = await harness.visit();
    await widget.openForm();
    const fields = { seats: '12', message: 'About order 1001', email: 'shop@example.com', phone: 5, nothing: 'x' };
    await say(page, 'prefill', { ...visitor, fields });
    const values = ['Your name', 'Email', 'Phone', 'How many seats?', 'Message'].map((label) =>
      widget.field(label).inputValue(),
    );
    expect(await Promise.all(values)).toEqual([visitor.name, 'shop@example.com', '', '12', 'About order 1001']);
  });

  test('does not change a field that the visitor has filled in or cleared', async () => {
    const { page, widget } = await harness.visit();
    await widget.openForm();
    await widget.field('Your name').fill('Grace Hopper');
    await say(page, 'prefill', visitor);
    expect(await widget.field('Your name').inputValue()).toBe('Grace Hopper');
    await widget.field('Email').fill('');
    await page.reload();
    await say(page, 'prefill', visitor);
    await widget.openForm();
    expect(await widget.field('Your name').inputValue()).toBe('Grace Hopper');
    expect(await widget.field('Email').inputValue()).toBe('');
  });

  test('fills the fields that a draft has left empty: after a log-in, new texts and a reload', async () => {
    const { page, widget } = await harness.visit({ tag: `data-session-token="${userToken('anon_1')}"` });
    await widget.openForm();
    await widget.field('Message').fill('Hello');
    const filled = async () => {
      if (!(await widget.field('Message').isVisible())) await widget.topic('Contact us').click();
      return Promise.all(['Your name', 'Email', 'Message'].map((label) => widget.field(label).inputValue()));
    };
    await say(page, 'setSessionToken', userToken('ada'));
    await widget.dialog.waitFor();
    await say(page, 'prefill', visitor);
    expect(await filled()).toEqual([visitor.name, visitor.email, 'Hello']);
    await say(page, 'texts', { title: 'Ask the shop' });
    expect(await filled()).toEqual([visitor.name, visitor.email, 'Hello']);
    await page.reload();
    await widget.launcher.click();
    await say(page, 'prefill', visitor);
    expect(await filled()).toEqual([visitor.name, visitor.email, 'Hello']);
  });

  test('ignores what is not text, and takes markup as text', async () => {
    const { page, errors, widget } = await harness.visit();
    await widget.openForm();
    for (const value of [{ name: 5, email: {} }, null, 'ada']) await say(page, 'prefill', value);
    expect(await widget.field('Your name').inputValue()).toBe('');
    const markup = '<img src=x onerror=alert(1)>';
    await say(page, 'prefill', { name: markup });
    expect(await widget.field('Your name').inputValue()).toBe(markup);
    expect(errors).toEqual([]);
  });
});

test('reset removes the visitor, the conversation and the drafts; the panel then starts a new conversation', async () => {
  const { page, widget, settled } = await harness.visit();
  await widget.filledForm();
  await settled();
  await say(page, 'reset');
  expect(await widget.dialog.isVisible()).toBe(true);
  await until(() => begun().length === 2);
  expect(begun()[1]?.body).toMatchObject({ conversation_id: null, visitor_id: null });
  await widget.topic('Contact us').click();
  expect(await widget.field('Message').inputValue()).toBe('');
});
