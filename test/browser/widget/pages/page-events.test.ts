import type { Locator, Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { until } from '../../../harness/until.ts';
import { CONTACT_FORM } from '../fake-service.ts';
import { type Visit, type VisitOptions, widgetOf } from '../harness.ts';
import { pageScript } from '../page-script.ts';
import { focused } from '../page-state.ts';
import { harness, STUB } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages whose scripts react to every event of the document.

const TALL = '<main><h1>Northwind Bikes</h1><p style="height: 4000px">We build bikes for cities.</p></main>';
const script = (code: string) => `${STUB}<script>${code}</script>`;

const opened = async (head: string, body = TALL, options: VisitOptions = {}): Promise<Visit> => {
  const visit = await harness.visit({ head, body }, { viewport: { width: 1000, height: 500 }, ...options });
  await visit.widget.openForm();
  return visit;
};

/** Cancels the events of everything that is no field of the page, in the two ways of old and new scripts. */
const PROTECTION = script(`
  const isField = (event) => /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  for (const type of ['mousedown', 'selectstart', 'contextmenu', 'copy', 'cut', 'paste', 'dragstart', 'beforeinput', 'keydown']) {
    document['on' + type] = isField;
    document.addEventListener(type, (event) => { if (!isField(event)) event.preventDefault(); });
  }
`);

describe('copy protection', () => {
  test('leaves the fields of the widget as they are', async () => {
    const { page, widget } = await opened(PROTECTION);
    const name = widget.field('Your name');
    await name.click();
    expect(await focused(page)).toBe('field-name');
    await page.keyboard.type('Ada');
    await name.dblclick();
    await page.keyboard.press('ControlOrMeta+x');
    expect(await name.inputValue()).toBe('');
    await widget.field('Message').click();
    await page.keyboard.press('ControlOrMeta+v');
    await page.keyboard.press('ControlOrMeta+v');
    expect(await widget.field('Message').inputValue()).toBe('AdaAda');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('ControlOrMeta+c');
    await name.click();
    await page.keyboard.press('ControlOrMeta+v');
    expect(await name.inputValue()).toBe('AdaAda');
  });

  test('leaves selecting and dragging with the mouse, and the menu of the browser', async () => {
    const { page, widget } = await opened(PROTECTION, TALL, { viewport: { width: 1000, height: 800 } });
    await page.evaluate(`addEventListener('contextmenu', (event) => { window.menu = event.defaultPrevented; })`);
    const name = widget.field('Your name');
    await name.fill('Ada Lovelace');
    const { x, y, height } = (await name.boundingBox()) ?? { x: 0, y: 0, height: 0 };
    await page.mouse.move(x + 200, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await name.evaluate((input): number => input.selectionEnd - input.selectionStart)).toBe(12);
    const from = (await name.boundingBox()) ?? { x: 0, y: 0, height: 0 };
    const to = (await widget.field('Message').boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(from.x + 30, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 30, { steps: 6 });
    await page.mouse.up();
    expect(await widget.field('Message').inputValue()).toBe('Ada Lovelace');
    await widget.field('Message').click({ button: 'right' });
    expect(await page.evaluate('window.menu')).not.toBe(true);
  });
});

test('a place for dropped files does not take a text that is dropped into the widget', async () => {
  const { page, widget } = await opened(
    script(`window.dropped = 0;
      for (const type of ['dragenter', 'dragover', 'drop']) document.addEventListener(type, (event) => event.preventDefault());
      document.addEventListener('drop', () => window.dropped++);`),
  );
  await widget.field('Your name').fill('Ada');
  await widget.field('Your name').press('ControlOrMeta+a');
  const from = (await widget.field('Your name').boundingBox()) ?? { x: 0, y: 0, height: 0 };
  await page.mouse.move(from.x + 20, from.y + from.height / 2);
  await page.mouse.down();
  const to = (await widget.field('Phone').boundingBox()) ?? { x: 0, y: 0, height: 0 };
  await page.mouse.move(to.x + 40, to.y + to.height / 2, { steps: 6 });
  await page.mouse.up();
  expect(await widget.field('Phone').inputValue()).toBe('Ada');
  expect(await page.evaluate('window.dropped')).toBe(0);
});

test('a focus trap of the page does not take what is typed into the widget', async () => {
  const trap = script(`document.addEventListener('focusin', (event) => {
    const dialog = document.querySelector('form');
    if (!dialog.contains(event.target)) dialog.elements[0].focus();
  });`);
  const { page, widget } = await opened(trap, `<form><input name="q"></form>${TALL}`);
  await widget.field('Message').click();
  await page.keyboard.type('Hello');
  expect(await widget.field('Message').inputValue()).toBe('Hello');
  expect(await page.locator('input[name=q]').inputValue()).toBe('');
});

test('what is typed into the widget does not mark a form of the page as changed', async () => {
  const watch = script(`window.changed = [];
    for (const type of ['beforeinput', 'input', 'change', 'keydown', 'keypress', 'keyup', 'submit']) document.addEventListener(type, () => window.changed.push(type));`);
  const { page, widget } = await opened(watch);
  await widget.fill();
  await widget.field('Message').pressSequentially('!');
  await widget.submit();
  expect(await page.evaluate('window.changed')).toEqual([]);
});

const LENIS = pageScript(`
  import Lenis from 'lenis';
  const lenis = new Lenis({ autoRaf: true });
`);

const touching = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  return devtools;
};

describe('smooth scrolling', () => {
  test('scrolls the panel under the mouse, and the page only outside it', async () => {
    harness.service.showForms({
      ...CONTACT_FORM,
      fields: [...CONTACT_FORM.fields, ...CONTACT_FORM.fields.map((field) => ({ ...field, key: `${field.key}2` }))],
    });
    const { page, widget } = await harness.visit(
      { head: '<script defer src="/lenis.js"></script>', body: TALL, files: { '/lenis.js': LENIS } },
      { viewport: { width: 1000, height: 500 } },
    );
    await widget.launcher.click();
    const box = (await widget.dialog.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, 120);
    await until(async () => (await widget.host.locator('.body').evaluate((node): number => node.scrollTop)) > 50);
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.mouse.move(100, 100);
    await page.mouse.wheel(0, 120);
    await until(async () => Number(await page.evaluate('scrollY')) > 20);
  });

  test('a page that locks scrolling by touch leaves the panel', async () => {
    const lock = script(
      `document.addEventListener('touchmove', (event) => event.preventDefault(), { passive: false });`,
    );
    const { page, widget } = await opened(lock, TALL, { before: touching });
    const devtools = await page.context().newCDPSession(page);
    const box = (await widget.dialog.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', moved = 0) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: box.x + box.width / 2, y: box.y + box.height / 2 - moved }],
      });
    await touch('touchStart');
    for (let moved = 0; moved <= 120; moved += 20) await touch('touchMove', moved);
    await touch('touchEnd');
    await until(async () => (await widget.host.locator('.body').evaluate((node): number => node.scrollTop)) > 50);
  });
});

describe('touch', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile Safari/604.1';
  const ways: readonly [string, string][] = [
    [
      'replaces taps by clicks of its own (FastClick)',
      `import attach from 'fastclick'; addEventListener('DOMContentLoaded', () => attach(document.body));`,
    ],
    ...['touchstart', 'touchend'].map((type): [string, string] => [
      `prevents the second of two quick ${type}, against zoom`,
      `let last = 0;
       document.addEventListener('${type}', (event) => {
         if (event.timeStamp - last < 2000) event.preventDefault();
         last = event.timeStamp;
       }, { passive: false });`,
    ]),
  ];
  test.each(ways)('a page that %s: the launcher and a button in the panel work', async (_what, code) => {
    const { page, widget } = await harness.visit(
      { head: '<script src="/touch.js"></script>', files: { '/touch.js': pageScript(code) } },
      {
        before: async (page) => {
          const devtools = await touching(page);
          await devtools.send('Emulation.setUserAgentOverride', { userAgent: IPHONE });
        },
      },
    );
    const devtools = await page.context().newCDPSession(page);
    const tap = async (part: Locator) => {
      const { x, y, width, height } = (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const touchPoints = [{ x: x + width / 2, y: y + height / 2 }];
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await widget.launcher.waitFor();
    await tap(widget.launcher);
    await widget.dialog.waitFor({ timeout: 5000 });
    await tap(widget.topic('Contact us'));
    await widget.field('Message').waitFor({ timeout: 5000 });
  });
});

test.each(byDay(2, ['mousedown', 'click', 'pointerdown', 'mouseup', 'pointerup']))(
  'a menu of the page that closes by a %s outside it closes by one in the widget',
  async (type) => {
    const menu = script(`window.heard = [];
      document.addEventListener('${type}', ({ target, clientX, button }) => window.heard.push([target.localName, clientX > 0, button]));`);
    const { page, widget } = await opened(menu);
    await page.evaluate('window.heard = []');
    await widget.field('Your name').click();
    expect(await page.evaluate('window.heard')).toEqual([['va-wave-widget', true, 0]]);
  },
);

test('Escape that ends a composition does not close the panel, in any order of the events', async () => {
  const { page, widget } = await opened('');
  for (const sign of [{ isComposing: true }, { keyCode: 229 }]) {
    await widget
      .field('Message')
      .evaluate((node, init) => node.dispatchEvent(new node.ownerDocument.defaultView.KeyboardEvent('keydown', init)), {
        key: 'Escape',
        bubbles: true,
        composed: true,
        cancelable: true,
        ...sign,
      });
    expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
  }
  await widgetOf(page).field('Message').press('Escape');
  expect(await page.evaluate('vaWave.isOpen()')).toBe(false);
});
