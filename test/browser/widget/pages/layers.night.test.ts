import type { Locator, Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { harness, STUB } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages with their own layers: modal dialogs, popovers, banners, zoom.

/** Whether all of it is in the window. */
const inWindow = (part: Locator) =>
  part.evaluate((node) => {
    const { left, top, right, bottom }: { readonly [edge in 'left' | 'top' | 'right' | 'bottom']: number } =
      node.getBoundingClientRect();
    const view = node.ownerDocument.defaultView;
    return left >= 0 && top >= 0 && right <= view.innerWidth + 1 && bottom <= view.innerHeight + 1;
  });

const SIZES = [
  { width: 390, height: 740 },
  { width: 1366, height: 768 },
] as const;

const dialogs: readonly [string, string, string][] = [
  [
    'a modal dialog',
    '<dialog id="own"><p>Pay</p><button onclick="vaWave(\'open\')">Help</button></dialog>',
    'own.showModal()',
  ],
  [
    'a modal dialog in a shadow root',
    '<div id="own"></div>',
    `own.attachShadow({ mode: 'open' }).innerHTML = '<dialog><p>Pay</p><button>Help</button></dialog>';
     const dialog = own.shadowRoot.firstChild; dialog.querySelector('button').onclick = () => vaWave('open'); dialog.showModal()`,
  ],
];

describe.each(byDay(1, SIZES))('at $width pixels', (viewport) => {
  test.each(dialogs)(
    'a page with %s opens the panel from a button in it: it can be used',
    async (_what, body, show) => {
      const { page, widget } = await harness.visit(
        { head: STUB, body: `<main><h1>Shop</h1></main>${body}` },
        { viewport },
      );
      await widget.launcher.waitFor();
      await page.evaluate(`{ ${show} }`);
      await page.getByRole('button', { name: 'Help', exact: true }).click();
      expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
      await widget.topic('Contact us').click();
      await widget.fill();
      await widget.submit();
      await widget.button('Close').click();
      expect(await page.evaluate('vaWave.isOpen()')).toBe(false);
      // The page's own dialog is usable again.
      await page.getByRole('button', { name: 'Help', exact: true }).click();
      await widget.dialog.waitFor();
    },
  );

  test('a page zooms itself: the whole panel is in the window, and closes', async () => {
    for (const zoom of byDay(1, [1.25, 1.5, 0.8])) {
      const { page, widget } = await harness.visit({ head: `<style>html { zoom: ${zoom} }</style>` }, { viewport });
      await widget.openForm();
      const parts = [widget.dialog, widget.button('Close'), widget.send];
      await widget.send.scrollIntoViewIfNeeded();
      expect(await Promise.all(parts.map(inWindow))).toEqual([true, true, true]);
      expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
      await widget.button('Close').click();
      await widget.dialog.waitFor({ state: 'hidden' });
    }
  });

  test.each(byDay(1, [2147483647, 9999, 1000]))(
    'a banner with the z-index %d can be clicked where the launcher is',
    async (zIndex) => {
      const banner = `<div style="position:fixed;left:0;right:0;bottom:0;height:100px;background:#fff;z-index:${zIndex}">
      <button style="position:absolute;right:0;width:160px;height:100px" onclick="this.parentNode.remove()">Accept</button></div>`;
      const { page, widget } = await harness.visit({ body: `<main><h1>Shop</h1></main>${banner}` }, { viewport });
      await widget.launcher.waitFor();
      await page.mouse.click(viewport.width - 45, viewport.height - 45);
      await page.getByRole('button', { name: 'Accept' }).waitFor({ state: 'detached' });
      await widget.launcher.click();
      await widget.dialog.waitFor();
    },
  );
});

test('a page that makes everything beside its own layer inert opens the panel from it: the panel takes the focus', async () => {
  const { page, widget } = await harness.visit({
    head: STUB,
    body: `<div id="own" style="position:fixed;inset:40px;background:#fff"><button onclick="vaWave('open', 'contact-us')">Help</button></div>`,
  });
  await widget.launcher.waitFor();
  await page.evaluate('for (const other of document.body.children) other.inert = other !== own');
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
  for (let step = 0; step < 2; step++) await page.keyboard.press('Tab');
  await page.keyboard.type('Ada');
  expect(await widget.field('Your name').inputValue()).toBe('Ada');
});

test('a modal dialog that the page opens later makes the panel unusable: isOpen says so, and open brings the panel back', async () => {
  const { page, widget } = await harness.visit({
    head: STUB,
    body: '<dialog id="own"><button onclick="vaWave(\'toggle\')">Help</button></dialog>',
  });
  await widget.openForm();
  await page.evaluate('own.showModal()');
  expect(await page.evaluate('vaWave.isOpen()')).toBe(false);
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await widget.fill();
  await widget.submit();
});

test('a page that does not scroll while a popover is open scrolls behind the widget, and the panel is above a banner', async () => {
  const { page, widget } = await harness.visit({
    head: '<style>html:has(:popover-open) { overflow: hidden } body { height: 3000px }</style>',
    body: '<div style="position:fixed;inset:auto 0 0;height:300px;background:#fff;z-index:2147483647">Cookies</div>',
  });
  await widget.launcher.waitFor();
  await page.mouse.wheel(0, 400);
  await page.waitForFunction('scrollY > 0');
  await page.evaluate(`vaWave('open', 'contact-us')`);
  await widget.fill();
  await widget.submit();
  expect(await page.evaluate(`getComputedStyle(document.documentElement).overflow`)).toBe('visible');
});

test('a page that displays no body at first has the launcher below its banners, as any other', async () => {
  const { page, widget } = await harness.visit({
    head: '<style id="hiding">body { display: none !important }</style>',
  });
  await widget.host.waitFor({ state: 'attached' });
  await page.evaluate('hiding.remove()');
  await widget.launcher.waitFor();
  expect(await widget.host.evaluate((node): boolean => node.matches(':popover-open'))).toBe(false);
});

test('a page that transforms its body and colours the backdrop of its dialogs is not darkened under the launcher', async () => {
  const corner = async (css: string) => {
    const { page, widget } = await harness.visit({
      head: `<style>body { transform: translateZ(0); height: 3000px } ${css}</style>`,
    });
    await widget.launcher.waitFor();
    return (await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } })).toString('base64');
  };
  expect(await corner('::backdrop { background: rgb(0 0 0 / 0.6); backdrop-filter: blur(4px) }')).toBe(
    await corner(''),
  );
});

test('a page that transforms its body keeps the launcher in the corner of the window', async () => {
  const { page, widget } = await harness.visit({
    head: '<style>body { transform: translateZ(0); height: 3000px }</style>',
  });
  await widget.launcher.click();
  await widget.dialog.waitFor();
  const box = await widget.launcher.boundingBox();
  expect([(box?.x ?? 0) + 80, (box?.y ?? 0) + 80]).toEqual([1000 - (await scrollbar(page)), 760]);
});
const scrollbar = (page: Page) => page.evaluate<number>('innerWidth - document.documentElement.clientWidth');
