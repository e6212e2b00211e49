import type { Page } from 'playwright-core';
import { widgetOf } from './harness.ts';
import { focused, poorContrasts } from './page-state.ts';
import { atLauncher, harness } from './shared-harness.ts';

beforeEach(() => harness.service.reset());

// Tests the keyboard, axe, contrasts, and the appearance that the page can set.

/** Emulates what a screen keeps for its own parts. */
const insets = (edges: Partial<Record<'left' | 'right' | 'top' | 'bottom', number>>) => async (page: Page) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setSafeAreaInsetsOverride', { insets: edges });
};

describe('keyboard', () => {
  test('closing returns the focus to what had it before a call opened the panel, or moves it to the launcher', async () => {
    const { page, widget } = await harness.visit({ body: '<main><h1>Shop</h1><button>Ask us</button></main>' });
    await widget.launcher.waitFor();
    for (const before of ['', 'Ask us']) {
      if (before !== '') await page.getByRole('button', { name: before }).focus();
      await page.evaluate('window.vaWave.open()');
      expect(await focused(page)).toBe('How can we help?');
      await page.keyboard.press('Escape');
      expect(await focused(page)).toBe(before || 'Help and contact');
      await page.evaluate('document.activeElement.blur()');
    }
  });

  const SHADOW = `<main><h1>Shop</h1><div id="app"></div></main><script>
    let place = app;
    for (const markup of ['<div></div>', '<button onclick="vaWave(\\'open\\')">Ask us</button>']) {
      place.attachShadow({ mode: 'open' }).innerHTML = markup;
      place = place.shadowRoot.firstChild;
    }</script>`;
  test.each([
    ['in a shadow root of a shadow root', SHADOW, ''],
    [
      'when new texts have built the panel again meanwhile',
      `<button onclick="vaWave('open')">Ask us</button>`,
      `vaWave('texts', { title: 'Ask' })`,
    ],
  ])('closing returns the focus to the button of the page %s', async (_where, body, meanwhile) => {
    const { page, widget } = await harness.visit({ body });
    await widget.launcher.waitFor();
    await page.getByRole('button', { name: 'Ask us' }).press('Enter');
    await widget.dialog.waitFor();
    await page.evaluate(meanwhile);
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('Ask us');
  });

  test('Tab moves through the panel in reading order, then to the page', async () => {
    const { page } = await atLauncher();
    const order: string[] = [];
    await page.keyboard.press('Enter');
    for (let step = 0; step < 3; step++) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    order.push(await focused(page));
    for (let step = 0; step < 7; step++) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    expect(order).toEqual([
      'Close',
      'Contact us',
      'Call me back',
      // The form is open, and its title has the focus.
      'Contact us',
      'Close',
      'field-name',
      'field-email',
      'field-phone',
      'field-seats',
      'field-message',
      'Send',
    ]);
  });

  test('a visitor can fill in, correct and send a form without a mouse', async () => {
    const { page, widget } = await atLauncher();
    const type = async (...keys: string[]) => {
      for (const key of keys) await (key.startsWith('"') ? page.keyboard.type(key.slice(1)) : page.keyboard.press(key));
    };
    await type('Enter', 'Tab', 'Tab', 'Enter', 'Tab', 'Tab', '"Ada', 'Tab', '"ada', 'Enter');
    expect(await focused(page)).toBe('field-email');
    await type('"@example.com', 'Tab', 'Tab', 'Tab', '"Hello', 'Tab', 'Enter');
    await widget.text('Thank you!');
    expect(await focused(page)).toBe('Thank you!');
    await type('Tab', 'Enter');
    expect(await focused(page)).toBe('field-name');
  });

  test('on a telephone held sideways the panel keeps its controls and fields out of the notch and the rounded corners', async () => {
    const [width, height, notch] = [844, 390, 59];
    const before = insets({ left: notch, right: notch, top: notch });
    const { widget } = await harness.visit({}, { viewport: { width, height }, before });
    const launcher = await widget.launcher.boundingBox();
    expect(width - (launcher?.x ?? 0) - (launcher?.width ?? 0)).toBe(20 + notch);
    await widget.openForm();
    const close = await widget.button('Close').boundingBox();
    const field = await widget.field('Your name').boundingBox();
    expect((close?.x ?? width) + (close?.width ?? 0)).toBeLessThanOrEqual(width - notch);
    expect(close?.y).toBeGreaterThanOrEqual(notch);
    expect(field?.x).toBeGreaterThanOrEqual(notch);
    expect((field?.x ?? width) + (field?.width ?? 0)).toBeLessThanOrEqual(width - notch);
  });

  test('above a bar of the system, the floating panel and a panel that fills the screen leave the bar free, once', async () => {
    const bar = 34;
    for (const [viewport, below] of [
      [{ width: 1000, height: 760 }, 20],
      [{ width: 390, height: 560 }, 20 + bar],
    ] as const) {
      const { page, widget } = await harness.visit({}, { viewport, before: insets({ bottom: bar }) });
      await widget.openForm();
      await page.evaluate(
        `document.querySelector('va-wave-widget').shadowRoot.querySelector('.body').scrollTop = 9999`,
      );
      const [send, panel] = [await widget.send.boundingBox(), await widget.dialog.boundingBox()];
      const bottom = (box: typeof send) => (box?.y ?? 0) + (box?.height ?? 0);
      const free = bottom(panel) - bottom(send);
      expect(Math.abs(free - below)).toBeLessThan(4);
    }
  });

  test('on a small screen the panel is modal: Tab stays inside and Escape closes it', async () => {
    const { page, widget } = await atLauncher({ viewport: { width: 390, height: 780 } });
    await page.keyboard.press('Enter');
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab');
      expect(['Buy', 'Help and contact']).not.toContain(await focused(page));
    }
    expect(await widget.dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 780 });
    await page.keyboard.press('Escape');
    await widget.dialog.waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('Help and contact');
  });

  test('rotating a phone keeps the panel open and keeps the focus and the draft', async () => {
    const { page, widget } = await atLauncher({ viewport: { width: 780, height: 700 } });
    await page.keyboard.press('Enter');
    await widget.topic('Contact us').click();
    await widget.field('Message').fill('Half a thought');
    await page.setViewportSize({ width: 390, height: 700 });
    await widget.host.locator('.full').waitFor();
    expect(await focused(page)).toBe('field-message');
    expect(await widget.field('Message').inputValue()).toBe('Half a thought');
    expect(await widget.launcher.getAttribute('aria-expanded')).toBe('true');
  });
});

test('the place of a status is there for screen readers before its text, which only then is announced', async () => {
  const { page, widget } = await harness.visit();
  await widget.openForm();
  const devtools = await page.context().newCDPSession(page);
  const { nodes } = await devtools.send('Accessibility.getFullAXTree');
  expect(nodes.filter(({ role }) => role?.value === 'status').map(({ ignored }) => ignored)).toEqual([false]);
  // Some screen readers say "alert" also for an empty one.
  expect(nodes.filter(({ role }) => role?.value === 'alert')).toEqual([]);
});

test('a page from right to left mirrors the widget', async () => {
  const { widget } = await harness.visit({ html: 'lang="ar" dir="rtl"' });
  await widget.openForm();
  expect((await widget.launcher.boundingBox())?.x).toBe(20);
  expect((await widget.dialog.boundingBox())?.x).toBe(20);
  expect(await widget.send.evaluate((node) => node.matches(':dir(rtl)'))).toBe(true);
});

describe('the appearance, which the page can set', () => {
  test('custom properties set colours, corners and distances', async () => {
    const { page, widget } = await harness.visit({
      head: '<style>:root { --va-wave-accent: rgb(0, 100, 0); --va-wave-accent-text: rgb(255, 255, 0); --va-wave-offset-x: 40px; --va-wave-offset-y: 50px; }</style>',
    });
    await widget.launcher.waitFor();
    expect(await style(page, '.launcher', 'backgroundColor', 'color')).toEqual(['rgb(0, 100, 0)', 'rgb(255, 255, 0)']);
    expect(await widget.launcher.boundingBox()).toEqual({
      x: 1000 - 40 - 60,
      y: 760 - 50 - 60,
      width: 60,
      height: 60,
    });
  });

  test.each([
    ['', '<style>:root { color-scheme: dark }</style>', 'light', 'dark'],
    ['', '<style>body { color-scheme: dark }</style>', 'light', 'dark'],
    ['', '<style>:root { color-scheme: only light }</style>', 'dark', 'light'],
    ['', '<style>:root { color-scheme: light dark }</style>', 'dark', 'dark'],
    ['', '<meta name="color-scheme" content="dark">', 'light', 'dark'],
    ['', '<meta name="color-scheme" content="light dark">', 'light', 'light'],
    ['', '<meta name="color-scheme" content="dark"><style>:root { color-scheme: light }</style>', 'dark', 'light'],
    ['light', '<style>:root { color-scheme: dark }</style>', 'dark', 'light'],
    ['sepia', '<style>:root { color-scheme: dark }</style>', 'light', 'dark'],
    ['', '', 'dark', 'dark'],
    ['', '', 'light', 'light'],
  ] as const)('the theme of tag %j and %j on a %s system is %s', async (theme, head, colorScheme, expected) => {
    const tag = `data-site-id="site_test" data-theme="${theme}"`;
    const { widget } = await harness.visit({ tag, head }, { colorScheme });
    await widget.launcher.waitFor();
    expect(await widget.host.locator('.root').evaluate((root) => root.classList.contains('dark'))).toBe(
      expected === 'dark',
    );
  });

  test('an open panel follows the page that switches its theme', async () => {
    const { page, widget } = await harness.visit({ head: '<style>.night { color-scheme: dark }</style>' });
    await widget.launcher.click();
    for (const element of ['documentElement', 'body']) {
      await page.evaluate(`document.${element}.classList.toggle('night')`);
      await widget.host.locator('.root.dark .panel').waitFor();
      await page.evaluate(`document.${element}.classList.toggle('night')`);
      await widget.host.locator('.root:not(.dark) .panel').waitFor();
    }
  });

  test('text and icons on any accent have a contrast of 4.5, also when the page changes it', async () => {
    const accents = [
      '#ffe600',
      '#fff',
      '#000',
      '#4f46e5',
      '#808080',
      '#777',
      '#757575',
      '#7a7a7a',
      'red',
      'lime',
      'hotpink',
      'hsl(205 90% 60%)',
    ];
    const wide = [
      'oklch(0.9 0.2 110)',
      'oklch(0.6 0.2 250)',
      'color(display-p3 0 1 0)',
      'lab(50% 40 20)',
      'color-mix(in oklab, red, white)',
    ];
    const { page, widget } = await harness.visit();
    await widget.openForm();
    const found: Record<string, readonly string[]> = {};
    for (const accent of [...accents, ...wide]) {
      await page.evaluate(`document.documentElement.style.setProperty('--va-wave-accent', '${accent}')`);
      found[accent] = await poorContrasts(page);
    }
    expect(found).toEqual(Object.fromEntries([...accents, ...wide].map((accent) => [accent, []])));
    const white = await style(page, '.bar', 'color');
    await page.evaluate(`document.documentElement.style.setProperty('--va-wave-accent', 'navy')`);
    expect(await style(page, '.bar', 'color')).not.toEqual(white);
  });

  test('data-position sets the side, data-theme the colours', async () => {
    const { page, widget } = await harness.visit(
      { tag: 'data-site-id="site_test" data-position="left" data-theme="light"' },
      { colorScheme: 'dark' },
    );
    await widget.openForm();
    expect((await widget.launcher.boundingBox())?.x).toBe(20);
    expect((await widget.dialog.boundingBox())?.x).toBe(20);
    expect(await style(page, '.panel', 'backgroundColor')).toEqual(['rgb(255, 255, 255)']);
  });

  test('nothing moves', async () => {
    const { page } = await harness.visit({}, { reducedMotion: 'no-preference' });
    await widgetOf(page).launcher.click();
    expect(await style(page, '.panel', 'animationName', 'transitionDuration')).toEqual(['none', '0s']);
  });
});

async function style(page: Page, selector: string, ...names: string[]): Promise<string[]> {
  return page.evaluate(`{
  const style = getComputedStyle(document.querySelector('va-wave-widget').shadowRoot.querySelector('${selector}'));
  ${JSON.stringify(names)}.map((name) => style[name]);
}`);
}
