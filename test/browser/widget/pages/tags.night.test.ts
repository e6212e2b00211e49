import { byDay } from '../../../harness/full.ts';
import type { PageParts } from '../harness.ts';
import { pageScript } from '../page-script.ts';
import { harness } from '../shared-harness.ts';

beforeEach(() => harness.service.reset());

// Ways in which the tag comes into a page, policies of the page, and scripts that change what the browser has.

const NONCE =
  "default-src 'none'; script-src 'nonce-a'; connect-src SERVICE; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/** jQuery runs a script of markup that it inserts by another tag, which has the address alone. */
const jQuery = (insert: string, footer = '') => ({
  script: `<script src="/jquery.js"></script><div id="footer"></div><script>${insert}</script>`,
  files: { '/jquery.js': pageScript(`import jQuery from 'jquery'; window.jQuery = jQuery;`), '/footer': footer },
});
const cases: readonly [string, () => PageParts][] = [
  [
    'loads its footer, with the tag in it, by jQuery',
    () => jQuery(`jQuery('#footer').load('/footer')`, `<footer>Northwind</footer>${harness.tag()}`),
  ],
  [
    'allows scripts by a nonce and no markup as text',
    () => ({
      script: harness.tag('data-site-id="site_test" nonce="a"'),
      headers: { 'content-security-policy': NONCE.replace('SERVICE', harness.service.url) },
    }),
  ],
  [
    'gives names of the browser to things of its own, as MooTools, a bus of Laravel and a page with a map do',
    () => ({
      head: `<script>for (const name of ['Event', 'Map', 'Set', 'Node', 'Element', 'Request', 'Text', 'Option'])
        window[name] = function () { this.own = true; };</script>`,
    }),
  ],
  ['writes the tag', () => ({ script: `<script>document.write('${harness.tag().replace('</', '<\\/')}')</script>` })],
  ['loads the tag as a module', () => ({ script: harness.tag().replace('async', 'type="module"') })],
  ['adds a version to the address', () => ({ script: harness.tag().replace('widget.js', 'widget.js?v=2#x') })],
  [
    'appends the tag as markup by jQuery',
    () => jQuery(`jQuery('body').append(${JSON.stringify(harness.tag()).replace('</', '<\\/')})`),
  ],
  [
    'freezes what the browser has',
    () => ({
      head: '<script>for (const one of [Object, Array, Function, Promise, Element]) Object.freeze(one.prototype)</script>',
    }),
  ],
  [
    'has another base and opens links in other windows',
    () => ({ head: '<base href="https://cdn.example/" target="_blank">' }),
  ],
  ['sends no referrer', () => ({ head: '<meta name="referrer" content="no-referrer">' })],
  [
    'keeps the tag until the visitor consents, as consent banners do',
    () => ({
      script: `${harness.tag().replace('async', 'async type="text/plain"')}<script>
        const held = document.querySelector('script[data-site-id]');
        const freed = document.createElement('script');
        for (const { name, value } of held.attributes) if (name !== 'type') freed.setAttribute(name, value);
        held.replaceWith(freed);</script>`,
    }),
  ],
  [
    'has a library that replaces Array.from and teaches arrays to write themselves as JSON',
    () => ({
      head: `<script>Array.from = (list) => { const all = []; for (let n = 0; n < list.length; n++) all.push(list[n]); return all; };
        Array.prototype.toJSON = function () { return '[' + this.join() + ']'; };
        Object.prototype.extend = function () {}; Function.prototype.bind = Function.prototype.bind;</script>`,
    }),
  ],
  [
    'has elements whose names hide properties of the document and the window',
    () => ({
      body: '<form name="forms"><input name="fetch" id="fetch"><input id="vaWave"></form><img name="currentScript" alt=""><main>Shop</main>',
    }),
  ],
];

test.each(byDay(5, cases))('a page %s', async (_what, parts) => {
  const { widget, errors } = await harness.visit(parts());
  await widget.filledForm();
  await widget.submit();
  expect(errors).toEqual([]);
});

test('a text is not cut on a page whose library makes a list of one item of it (MooTools)', async () => {
  const { widget } = await harness.visit({
    head: `<script>Array.from = (item) => (typeof item === 'object' && 'length' in item ? Array.prototype.slice.call(item) : [item])</script>`,
  });
  await widget.filledForm();
  await widget.field('Message').fill(`${'x'.repeat(5000)}+49 30 1234`);
  await widget.send.click();
  await widget.text('Too long. Characters to remove: 11');
  expect(harness.service.to('submit')).toEqual([]);
});

test('a page that the visitor leaves and comes back to has the draft, and one widget', async () => {
  const { page, widget } = await harness.visit({ files: { '/next': '<!doctype html><h1>Next</h1>' } });
  await widget.openForm();
  await widget.field('Message').fill('Twelve bikes');
  await page.goto(`${harness.siteUrl}/next`);
  await page.goBack();
  await widget.launcher.waitFor();
  if (!(await widget.field('Message').isVisible())) await widget.openForm();
  expect([await widget.field('Message').inputValue(), await widget.host.count()]).toEqual(['Twelve bikes', 1]);
});
