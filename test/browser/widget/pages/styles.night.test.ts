import { byDay } from '../../../harness/full.ts';
import type { PageParts } from '../harness.ts';
import { framesDrawn } from '../page-state.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages whose styles reach every element: each visitor sees the launcher in its corner, and a panel of its usual size that works.

const style = (css: string, further: Partial<PageParts> = {}): PageParts => ({
  head: `<style>${css}</style>`,
  ...further,
});
const SHORT = '<main><h1>Shop</h1></main>';
const cases: readonly [string, PageParts][] = [
  ['a body with a filter and little content', style('body { filter: grayscale(1) }', { body: SHORT })],
  ['an unset style for every element', style('* { all: unset !important }')],
  ['a root of 62.5 %', style('html { font-size: 62.5% !important }')],
  ['no scrolling', style('html, body { overflow: hidden; height: 100% }')],
  ['a body that clips and contains its content', style('body { contain: strict; height: 300px }', { body: SHORT })],
  ['a body of which nothing is painted before it is seen', style('body { content-visibility: auto }', { body: SHORT })],
  [
    'a body that its framework has put into a grid',
    style('body { display: grid; grid-template-columns: 1fr 1fr; gap: 9px }'),
  ],
  ['a body without pointer events', style('body { pointer-events: none; user-select: none }')],
  [
    'a bar of a translation above the page',
    style('body { position: relative; top: 40px !important; min-height: 100% }'),
  ],
  [
    'no unknown elements',
    style(
      'body > :not(main, script) { display: none !important; opacity: 0 !important; transform: scale(0) !important }',
    ),
  ],
  [
    'a body that moves in',
    style(
      '@keyframes in { from { transform: translateY(60px) } to { transform: none } } body { animation: in .2s both; height: 3000px }',
    ),
  ],
  [
    'own colours under names of the widget',
    style(':root { --bg: red; --fg: red; --accent: red; --x: 300px; --y: 300px; --bottom: 300px }'),
  ],
];

test.each(byDay(3, cases))('a page with %s', async (_what, parts) => {
  const { page, widget, errors } = await harness.visit(parts);
  await widget.launcher.waitFor();
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => {})');
  await framesDrawn(page);
  const { x = 0, y = 0, width = 0, height = 0 } = (await widget.launcher.boundingBox()) ?? {};
  const right = await page.evaluate<number>('document.documentElement.clientWidth');
  expect([right - x - width, 760 - y - height, width, height]).toEqual([20, 20, 60, 60]);
  await widget.openForm();
  await widget.fill();
  expect((await widget.dialog.boundingBox())?.width).toBe(384);
  expect(
    await widget.dialog
      .locator('h2')
      .evaluate((node) => node.ownerDocument.defaultView.getComputedStyle(node).fontSize),
  ).toBe('18px');
  await widget.submit();
  expect(errors).toEqual([]);
});
