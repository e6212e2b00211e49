import type { Page } from 'playwright-core';
import { byDay } from '../../../harness/full.ts';
import { widgetOf } from '../harness.ts';
import { pageScript } from '../page-script.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Pages that replace their content or their whole document while a visitor writes.

const NEW_PAGE = '<head><title>New</title></head><body><main><h1>New page</h1></main></body>';

const ways: readonly [string, string][] = [
  ['the markup of the document', `document.documentElement.innerHTML = '${NEW_PAGE}'`],
  ['the document by Idiomorph', `Idiomorph.morph(document.documentElement, '<html>${NEW_PAGE}</html>')`],
  ['the markup of the body', `document.body.innerHTML = '<h1>New page</h1>'`],
  ['the body', `document.body = Object.assign(document.createElement('body'), { innerHTML: '<h1>New page</h1>' })`],
  [
    'the root element',
    `document.documentElement.replaceWith(Object.assign(document.createElement('html'), { innerHTML: '${NEW_PAGE}' }))`,
  ],
  [
    'the body three times in a row',
    `for (const _ of [1, 2, 3]) { await new Promise(requestAnimationFrame); document.body.innerHTML = '<h1>New page</h1>' }`,
  ],
];

test.each(byDay(3, ways))(
  'a page replaces %s: the open panel, the draft and the focus are there again',
  async (_what, act) => {
    const library = pageScript(
      `import { Idiomorph } from 'idiomorph/dist/idiomorph.esm.js'; window.Idiomorph = Idiomorph;`,
    );
    const { page, widget, errors } = await harness.visit({
      head: '<script src="/library.js"></script>',
      files: { '/library.js': library },
    });
    await widget.openForm();
    await widget.field('Message').fill('Twelve bikes');
    await page.evaluate(`(async () => { ${act} })()`);
    await page.getByText('New page').waitFor();
    await widget.dialog.waitFor();
    expect(await page.evaluate('vaWave.isOpen()')).toBe(true);
    await page.keyboard.type(', please.');
    expect(await widget.field('Message').inputValue()).toBe('Twelve bikes, please.');
    expect(await widget.host.count()).toBe(1);
    expect(errors).toEqual([]);
  },
);

test('a page opens its document anew (document.open): a new widget works there, with the texts that the page has set', async () => {
  const { page, widget } = await harness.visit();
  await widget.launcher.waitFor();
  await page.evaluate(`vaWave('texts', { title: 'Ask the shop' });
    document.open(); document.write(${JSON.stringify(`<!doctype html><html>${NEW_PAGE}</html>`)}); document.close();
    const tag = Object.assign(document.createElement('script'), { src: '${harness.service.url}/static/va-wave-widget.js' });
    tag.dataset.siteId = 'site_test';
    document.head.append(tag);`);
  await widgetOf(page).launcher.click();
  await page.getByRole('dialog', { name: 'Ask the shop' }).waitFor();
  expect(await widget.host.count()).toBe(1);
});

test('a page removes the widget each time that it appears: the page stays usable', async () => {
  const head = `<script>window.removals = 0; new MutationObserver(() => {
      const found = document.querySelector('va-wave-widget'); if (found) { window.removals++; found.remove(); }
    }).observe(document.documentElement, { childList: true, subtree: true })</script>`;
  const before = (page: Page) => page.clock.pauseAt(Date.now() + 1000);
  const { page, widget, settled } = await harness.visit({ head }, { alone: 'clock', before });
  await settled();
  await page.clock.runFor(2000);
  const removals = await page.evaluate<number>('window.removals');
  expect(removals).toBeGreaterThan(2);
  expect(removals).toBeLessThan(15);
  expect(await widget.host.count()).toBe(0);
});

describe('Turbo', () => {
  const turboPage = (title: string, tag = '') =>
    `<!doctype html><html lang="en"><head><title>${title}</title><script src="/turbo.js"></script></head>
     <body><h1>${title}</h1><a href="/">First</a> <a href="/next">Second</a>${tag}</body></html>`;
  const visit = () =>
    harness.visit({
      document: turboPage('First page', harness.tag()),
      files: { '/turbo.js': pageScript(`import '@hotwired/turbo'`), '/next': turboPage('Second page', harness.tag()) },
    });
  const follow = async (page: Page, link: string, title: string) => {
    await page.getByRole('link', { name: link }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  };

  test('keeps one widget and one init over visits, also to pages from its cache', async () => {
    const { page, widget, errors, settled } = await visit();
    await widget.launcher.waitFor();
    for (const [link, title] of [
      ['Second', 'Second page'],
      ['First', 'First page'],
      ['Second', 'Second page'],
    ] as const) {
      await follow(page, link, title);
      await widget.launcher.waitFor();
    }
    await page.goBack();
    await page.getByRole('heading', { name: 'First page' }).waitFor();
    await widget.openForm();
    await settled();
    expect([
      await widget.host.count(),
      harness.service.to('init').filter(({ body }) => !body.begin_conversation).length,
    ]).toEqual([1, 1]);
    expect(errors).toEqual([]);
  });
});
