import { readFileSync } from 'node:fs';
import type { Locator, Page, Route } from 'playwright-core';
import { full } from '../../harness/full.ts';
import { until } from '../../harness/until.ts';
import { intercept } from '../interception.ts';
import { CONTACT_FORM, INIT } from './fake-service.ts';
import { type VisitOptions, widgetOf } from './harness.ts';
import { flaws } from './page-state.ts';
import { harness, STUB } from './shared-harness.ts';
import { userToken } from './token.ts';

beforeEach(() => harness.service.reset());

const EXAMPLE = readFileSync(new URL('../../../examples/conversation-view/view.js', import.meta.url), 'utf8');

// Tests the example view of `examples/conversation-view` with a fake backend.

/** The example view with a fake backend. */
const WITH_EXAMPLE = `${STUB}<script type="module">
${EXAMPLE.replace('export function', 'function')}
vaWave('conversation', conversationView({ url: '/conversation' }));
</script>`;

const boxOf = (part: Locator) =>
  part.evaluate((node): { readonly [edge in 'top' | 'bottom' | 'left' | 'right']: number } =>
    node.getBoundingClientRect(),
  );
/** Presses a key of an input method. Returns whether nothing prevented the browser's own reaction. */
const press = (input: Locator, key: string, sign: { readonly isComposing?: true; readonly keyCode?: 229 }) =>
  input.evaluate(
    (node, init): boolean => node.dispatchEvent(new node.ownerDocument.defaultView.KeyboardEvent('keydown', init)),
    { key, bubbles: true, composed: true, cancelable: true, ...sign },
  );
const ask = <T>(page: Page, expression: string) => page.evaluate<T>(`(async () => ${expression})()`);

describe('the example view', () => {
  type Said = { readonly text?: string; readonly conversation_id?: string };
  const open = async (options: VisitOptions = {}, html = 'lang="en"', tag?: string) => {
    const turns: { readonly headers: Record<string, string>; readonly body: Said }[] = [];
    const { page, errors } = await harness.visit(
      { head: WITH_EXAMPLE, html, ...(tag === undefined ? {} : { tag }) },
      {
        ...options,
        before: (page) =>
          page.route('**/conversation/*', async (route) => {
            const request = route.request();
            if (request.url().endsWith('/read')) return route.fulfill({ json: { messages: [], ended: false } });
            turns.push({ headers: request.headers(), body: request.postDataJSON() });
            const ended = request.postDataJSON().text === 'Goodbye';
            const messages = [{ from: 'assistant', text: `Turn ${turns.length}` }];
            return route.fulfill({ json: { messages, ended } });
          }),
      },
    );
    const widget = widgetOf(page);
    await widget.launcher.click();
    const input = widget.host.getByRole('textbox', { name: 'Write a message' });
    const enter = async (text: string) => {
      await input.fill(text);
      await input.press('Enter');
    };
    const say = async (text: string) => {
      const answer = `Turn ${turns.length + 1}`;
      await enter(text);
      await widget.host.getByText(answer).waitFor();
    };
    return { page, errors, widget, turns, input, enter, say };
  };

  test('sends the message to its backend with the credential, and shows the answer', async () => {
    const { turns, input, errors, say } = await open();
    await say('Where is order 1001?');
    expect(turns[0]?.body).toEqual({ conversation_id: 'conversation-1', text: 'Where is order 1001?' });
    expect(turns[0]?.headers['x-site-id']).toBe('site_test');
    expect(await input.inputValue()).toBe('');
    expect(errors).toEqual([]);
  });

  test('shows that the conversation has ended', async () => {
    const { page, widget, input, enter } = await open();
    await enter('Goodbye');
    const ended = widget.host.getByText('Conversation ended.');
    await ended.waitFor();
    expect(await input.count()).toBe(0);
    // One line, on a narrow phone too. The answer above it is completely visible.
    await page.setViewportSize({ width: 320, height: 568 });
    const { top, bottom } = await boxOf(ended);
    expect(bottom - top).toBeLessThan(30);
    const again = await boxOf(widget.button('New conversation'));
    expect(again.right).toBeLessThanOrEqual(320);
    expect((await boxOf(widget.host.getByText('Turn 1'))).bottom).toBeLessThanOrEqual(
      (await boxOf(widget.host.getByRole('log'))).bottom,
    );
  });

  test.each([
    ['a visitor with a token', `data-session-token="${userToken('ada')}"`],
    ['a visitor without one', 'data-site-id="site_test"'],
  ])('begins another conversation for %s, who stays the same visitor with the same drafts', async (_who, tag) => {
    const { page, widget, turns, input, enter, say } = await open({}, 'lang="en"', tag);
    await page.evaluate(`addEventListener('va-wave:token-expired', () => { window.isAsked = true })`);
    const message = widget.host.getByLabel('Message', { exact: true });
    await widget.topic('Contact us').click();
    await message.fill('A draft');
    await widget.button('Back').click();
    await enter('Goodbye');
    const usual = harness.service.init;
    harness.service.init = (request) => {
      const begun = request.body.conversation_id ? {} : { conversation_id: 'conversation-2' };
      return { status: 200, body: { ...INIT, ...begun, visitor_id: request.body.visitor_id ?? 'ada' } };
    };
    await widget.button('New conversation').click();
    await input.waitFor();
    await say('Hello again');
    harness.service.init = usual;
    expect(turns.map(({ body }) => body.conversation_id)).toEqual(['conversation-1', 'conversation-2']);
    expect(turns[1]?.headers['x-session-token']).toBe(turns[0]?.headers['x-session-token']);
    expect(await page.evaluate('window.isAsked')).toBeUndefined();
    const [atStart, atOpening, ...later] = harness.service.to('init').map(({ body }) => body.visitor_id);
    // The first conversation makes the visitor somebody.
    expect([atStart, atOpening]).toEqual([null, null]);
    expect(new Set(later).size).toBe(1);
    await widget.topic('Contact us').click();
    expect(await message.inputValue()).toBe('A draft');
  });

  test('has the focus in its input field whenever the panel opens, and the field grows', async () => {
    const { widget, input } = await open();
    const focus = () => input.and(widget.host.locator(':focus')).waitFor();
    await focus();
    await widget.launcher.click();
    await widget.launcher.click();
    await focus();
    const height = async () => (await boxOf(input)).bottom - (await boxOf(input)).top;
    const before = await height();
    await input.fill('A long message. '.repeat(10));
    expect(await height()).toBeGreaterThan(before * 1.5);
    await input.fill('A long message. '.repeat(60));
    expect((await boxOf(widget.button('Send'))).bottom).toBeLessThanOrEqual((await boxOf(widget.dialog)).bottom);
  });

  test('makes links of web addresses only, and shows the time of a message', async () => {
    const { page, widget, say, errors } = await open();
    await say('See https://shop.example/orders/1001, or javascript:alert(1) <b>http://b.example</b>.');
    const links = await widget.host
      .locator('.visitor a')
      .evaluateAll((nodes) => nodes.map((node) => [node.getAttribute('href'), node.getAttribute('rel')]));
    expect(links).toEqual([
      ['https://shop.example/orders/1001', 'noopener noreferrer'],
      ['http://b.example', 'noopener noreferrer'],
    ]);
    expect(await widget.host.locator('.visitor time').innerText()).toMatch(/^\d+:\d\d/);
    expect(await page.locator('b').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('is marked as English in a panel of another language, whose times it shows', async () => {
    const { widget, say } = await open({}, 'lang="ar"');
    await say('Where is order 1001?');
    expect(await widget.host.locator('.view').getAttribute('lang')).toBe('en');
    const time = widget.host.locator('.visitor time');
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const shown = await time.evaluate(
      (node, stamp) => [node.textContent, new Intl.DateTimeFormat('ar', { timeStyle: 'short' }).format(stamp)],
      at.getTime(),
    );
    expect(shown[0]).toBe(shown[1]);
    expect(shown[0]).not.toMatch(/AM|PM/);
  });

  test('counts the messages that arrive while the panel is closed', async () => {
    const { page, widget, enter } = await open();
    const answered = Promise.withResolvers<void>();
    const endInterception = await intercept(page, '**/conversation/turns', async (route) => {
      endInterception();
      await answered.promise;
      await route.fulfill({ json: { messages: [{ from: 'assistant', text: 'Here it is' }], ended: false } });
    });
    await enter('Where is it?');
    await widget.launcher.click();
    answered.resolve();
    await widget.host.locator('.badge', { hasText: '1' }).waitFor();
    await widget.launcher.click();
    await widget.text('Here it is');
    expect(await widget.host.locator('.badge').isVisible()).toBe(false);
  });

  test.each([
    ['an answer', (route: Route) => route.fulfill({ json: { messages: [{ from: 'assistant', text: 'Here' }] } })],
    ['a failure', (route: Route) => route.abort('connectionreset')],
  ])('%s that arrives after a reset leaves nothing to the next visitor', async (_, conclude) => {
    const { page, widget, enter } = await open();
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const concluded = Promise.withResolvers<void>();
    await page.route('**/conversation/turns', async (route) => {
      arrived.resolve();
      await gone.promise;
      await conclude(route);
      concluded.resolve();
    });
    await enter('Where is it?');
    await widget.launcher.click();
    await arrived.promise;
    harness.service.init = () => ({ status: 200, body: { ...INIT, conversation_id: 'conversation-2' } });
    await ask(page, `vaWave('reset')`);
    gone.resolve();
    await concluded.promise;
    // The page handles it before the answer to a later request.
    await ask(page, `(await fetch('/conversation/read', { method: 'POST' })).json()`);
    expect(await widget.host.locator('.badge').isVisible()).toBe(false);
    expect(await ask<string>(page, 'Object.values(sessionStorage).join()')).not.toContain('Where is it?');
  });

  test('restores the message when sending fails, before what was typed since', async () => {
    const { page, widget, input, enter } = await open();
    const typed = Promise.withResolvers<void>();
    const endInterception = await intercept(page, '**/conversation/turns', async (route) => {
      endInterception();
      await typed.promise;
      await route.abort('connectionreset');
    });
    await enter('Hello?');
    await widget.text('is writing');
    await input.fill('Is anybody there?');
    typed.resolve();
    const failed = widget.host.getByText('could not be sent');
    await failed.waitFor();
    expect(await failed.evaluate((node): string => node.computedStyleMap().get('border-top-color').toString())).toBe(
      'rgb(180, 35, 24)',
    );
    expect(await input.inputValue()).toBe('Hello?\nIs anybody there?');
  });

  test.each([
    ['fails', 'Where is order 1001?'],
    ['arrives', ''],
  ])('a message that %s while the view is mounted again is neither lost nor sent twice', async (outcome, left) => {
    const { page, widget, input, enter } = await open();
    const arrived = Promise.withResolvers<() => Promise<void>>();
    const said: string[] = [];
    await page.route('**/conversation/*', (route) => {
      const { text } = route.request().postDataJSON();
      if (text === undefined)
        return route.fulfill({ json: { messages: said.map((one) => ({ from: 'visitor', text: one })), ended: false } });
      arrived.resolve(() => {
        if (outcome === 'fails') return route.fulfill({ status: 502 });
        said.push(text);
        return route.fulfill({ json: { messages: [], ended: false } });
      });
    });
    await enter('Where is order 1001?');
    const answer = await arrived.promise;
    await page.evaluate("vaWave('texts', { title: 'Ask us' })");
    await widget.text('Ask us');
    await input.fill('Hurry');
    await answer();
    await (outcome === 'fails' ? widget.text('could not be sent') : widget.text('Where is order 1001?'));
    expect(await input.inputValue()).toBe([left, 'Hurry'].filter(Boolean).join('\n'));
    expect(await widget.host.getByText('You: Where').count()).toBe(said.length);
  });

  test('keeps what is typed over a reload, until it is sent', async () => {
    const { page, widget, input, enter } = await open();
    await input.fill('Half a thought');
    await page.waitForFunction(`JSON.stringify(sessionStorage).includes('Half a thought')`);
    await page.reload();
    await widget.launcher.click();
    await until(async () => (await input.inputValue()) === 'Half a thought');
    await enter('Where is order 1001?');
    await widget.text('Turn 1');
    await page.reload();
    await widget.launcher.click();
    await widget.text('Hello! How can I help?');
    expect(await input.inputValue()).toBe('');
    await input.fill('Half a thought');
    await page.evaluate('vaWave.reset()');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Half a thought');
  });

  test('cuts nothing: it says how much of a message is too much', async () => {
    const { widget, input, turns, say } = await open();
    await input.fill('🚲'.repeat(1002));
    await widget.text('Characters to remove: 2');
    await input.press('Enter');
    expect(turns).toEqual([]);
    await say('🚲'.repeat(1000));
    expect(turns[0]?.body.text).toBe('🚲'.repeat(1000));
    expect(await widget.host.getByText('Characters to remove').count()).toBe(0);
  });

  test('stays at an older message while the visitor types', async () => {
    const { widget, input, say } = await open();
    for (let turn = 0; turn < 12; turn++) await say('Where is order 1001?');
    const log = widget.host.getByRole('log');
    const top = () => log.evaluate((node): number => node.scrollTop);
    const end = await top();
    await log.evaluate((node) => node.scrollTo(0, 10));
    await log.evaluate(
      (node) => new Promise((resolve) => node.ownerDocument.defaultView.requestAnimationFrame(resolve)),
    );
    await input.pressSequentially('a');
    expect(end).toBeGreaterThan(100);
    expect(await top()).toBe(10);
    await say('Back to the end');
    expect(await top()).toBeGreaterThan(end);
  });

  test('an Enter that ends a composition sends nothing, also in the order of the events in Safari', async () => {
    const { page, input, turns, say } = await open();
    await input.fill('日本');
    for (const sign of [{ isComposing: true }, { keyCode: 229 }] as const)
      expect(await press(input, 'Enter', sign)).toBe(true);
    expect(turns).toEqual([]);
    expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
    await say('日本語');
    expect(turns).toHaveLength(1);
  });

  const sizes = [
    [320, 568],
    [1366, 768],
    [390, 740],
    [768, 1024],
  ] as const;
  test.each(full ? sizes : sizes.slice(0, 2))(
    'any number of forms leaves room for the conversation at %d × %d',
    async (width, height) => {
      const names = ['Contact us', 'Book a test ride with one of our mechanics in the city', 'Long '.repeat(20).trim()];
      for (const count of full ? [1, 3, 12] : [12]) {
        const forms = Array.from({ length: count }, (_, index) => ({
          ...CONTACT_FORM,
          slug: `form-${index}`,
          name: `${names[index % 3]} ${index}`,
        }));
        harness.service.showForms(...forms);
        const { widget, say } = await open({ viewport: { width, height } });
        for (let turn = 0; turn < 4; turn++) await say('Where is order 1001?');
        const panel = await boxOf(widget.dialog);
        for (const part of [widget.host.locator('.bar'), widget.button('Send')]) {
          const { top, bottom, left, right } = await boxOf(part);
          expect([top >= panel.top, bottom <= panel.bottom, left >= panel.left, right <= panel.right]).toEqual(
            Array(4).fill(true),
          );
        }
        const log = await boxOf(widget.host.getByRole('log'));
        expect(log.bottom - log.top).toBeGreaterThan(100);
        // The last answer can be read, and the last form can be opened with a mouse.
        expect((await boxOf(widget.host.getByText('Turn 4'))).bottom).toBeLessThanOrEqual(log.bottom);
        await widget.topic(forms.at(-1)?.name ?? '').click();
        await widget.send.waitFor();
      }
    },
  );

  const modes: [string, VisitOptions, string][] = [
    ['light', {}, 'lang="en"'],
    ['dark and right to left', { colorScheme: 'dark' }, 'lang="he" dir="rtl"'],
    ['a phone', { viewport: { width: 390, height: 740 } }, 'lang="en"'],
  ];
  test.each(full ? modes : modes.slice(0, 2))('axe finds nothing: %s', async (_mode, options, html) => {
    const { page, input, widget } = await open(options, html);
    await input.fill('Goodbye');
    expect(await flaws(page)).toEqual([]);
    await input.press('Enter');
    await widget.text('Conversation ended.');
    expect(await flaws(page)).toEqual([]);
  });
});
