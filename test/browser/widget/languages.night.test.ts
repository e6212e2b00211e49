import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { bundleWidget } from '../../../lib/bundles.ts';
import { CONTACT_FORM } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { startingAt } from './page-state.ts';
import { harness, STUB } from './shared-harness.ts';

beforeEach(() => harness.service.reset());

// Tests the choice of the language, and texts of the page.

const launcherOf = async (html: string, tag?: string) => {
  const { page } = await harness.visit({ html, ...(tag === undefined ? {} : { tag }) });
  const { launcher, host } = widgetOf(page);
  await launcher.waitFor();
  const root = host.locator('.root');
  return [await launcher.getAttribute('aria-label'), await root.getAttribute('lang'), await root.getAttribute('dir')];
};

const TEXTS = new URL('../../../widget/texts/', import.meta.url);
const NAMES = readdirSync(TEXTS).flatMap((file) => (file === 'x-debug.json' ? [] : [file.replace('.json', '')]));
/** Other values of `lang`, and the language that is chosen for each. */
const NORTHERN = 'de-CH=de FR=fr nb-NO=nb no=nb nn=nb en-GB=en';
const CHINESE = 'zh-CN=zh zh-Hant-HK=zh-hant zh-TW=zh-hant';
const UNKNOWN = 'fa=en x-debug=en __proto__=en =en';
const CHOSEN = [NORTHERN, CHINESE, UNKNOWN].flatMap((pairs) => pairs.split(' ').map((pair) => pair.split('=')));

test('starts in the language of the page, else in English', async () => {
  const { page } = await harness.visit();
  await widgetOf(page).launcher.waitFor();
  const expected = [...NAMES.map((name) => [name, name]), ...CHOSEN].map(([lang, language = '']) => {
    const { launcher } = JSON.parse(readFileSync(new URL(`${language}.json`, TEXTS), 'utf8'));
    return [lang, launcher, language, /^(ar|he)$/.test(language) ? 'rtl' : 'ltr'];
  });
  // A restart in one page shows the same as a visit, in a tenth of the time.
  const shown = await page.evaluate(`(async () => {
    const shown = [];
    for (const lang of ${JSON.stringify(expected.map(([lang]) => lang))}) {
      window.vaWave.destroy();
      document.documentElement.lang = lang;
      await ${startingAt(harness.service.url)};
      const root = document.querySelector('va-wave-widget').shadowRoot;
      const part = (selector, name) => root.querySelector(selector).getAttribute(name);
      shown.push([lang, part('.launcher', 'aria-label'), part('.root', 'lang'), part('.root', 'dir')]);
    }
    return shown;
  })()`);
  expect(shown).toEqual(expected);
});

test('data-language takes precedence over the language of the page', async () => {
  expect(await launcherOf('lang="en"', 'data-site-id="site_test" data-language="it"')).toEqual([
    'Aiuto e contatti',
    'it',
    'ltr',
  ]);
});

test('English loads no file; another language loads only the index and its own file', async () => {
  const asked: string[] = [];
  const texts = harness.service.texts;
  harness.service.texts = (name) => {
    asked.push(name);
    return texts(name);
  };
  await launcherOf('lang="en"');
  expect(asked).toEqual([]);
  await launcherOf('lang="tr"');
  const file = (name: string) => expect.stringMatching(`^va-wave-texts\\.${name}\\.[\\w-]{43}\\.json$`);
  expect(asked).toEqual([file('index'), file('tr')]);
});

describe('the widget falls back to English', () => {
  const hashOf = (language: string) =>
    [...bundleWidget().texts.keys()].find((name) => name.includes(`.${language}.`))?.split('.')[2] ?? '';
  type Change = (text: string | undefined) => string | undefined;
  test.each<[string, Change]>([
    [
      'whose content does not match the hash in the index',
      (text) => text?.replace('Aide et contact', 'Votre mot de passe'),
    ],
    ['whose index does not match the hash in the loader', (text) => text?.replace(hashOf('fr'), hashOf('de'))],
    ['that does not exist', () => undefined],
  ])('for a file %s', async (_what, change) => {
    const texts = harness.service.texts;
    harness.service.texts = (name) => change(texts(name));
    expect(await launcherOf('lang="fr"')).toEqual(['Help and contact', 'en', 'ltr']);
  });

  test('for a file that takes too long', async () => {
    const { page } = await harness.visit(
      { html: 'lang="fr"' },
      { before: (page) => page.route('**/va-wave-texts.*', () => new Promise(() => {})) },
    );
    await page.getByRole('button', { name: 'Help and contact' }).waitFor();
  });
});

test('a pinned loader contains the hashes of its texts: a changed text changes the loader', () => {
  const { code, texts } = bundleWidget();
  const index = [...texts].find(([name]) => name.includes('.index.'));
  expect(code).toContain(index?.[0].split('.')[2]);
  const hashes: unknown[] = Object.values(JSON.parse(index?.[1] ?? ''));
  const files = [...texts.keys()].filter((name) => name !== index?.[0]);
  expect(files.map((name) => name.split('.')[2])).toEqual(hashes);
});

describe('texts of the page', () => {
  test('replace single texts of the widget before and after the start', async () => {
    const { page, widget } = await harness.visit({
      html: 'lang="de"',
      head: `${STUB}<script>vaWave('texts', { title: 'Frag die Werkstatt', nonsense: 'x', send: 5 })</script>`,
    });
    await widget.openForm();
    expect(await widget.send.textContent()).toBe('Senden');
    await widget.button('Zurück').click();
    await page.getByRole('dialog', { name: 'Frag die Werkstatt' }).waitFor();
    await page.evaluate(`window.seen = [];
      for (const type of ['open', 'close', 'ready']) document.addEventListener('va-wave:' + type, () => window.seen.push(type));
      vaWave('texts', { language: 'cs', title: 'Zeptejte se dílny' })`);
    // The panel stays open, so the page sees no event, and the earlier texts remain.
    await page.getByRole('dialog', { name: 'Zeptejte se dílny' }).waitFor();
    expect(await widget.host.locator('.root').getAttribute('lang')).toBe('cs');
    expect(await page.evaluate('window.seen')).toEqual([]);
  });
});

describe('texts that the page sets while the panel is open', () => {
  const SELECT = `<select aria-label="Language"><option>English<option>Čeština</select>`;
  const set = (page: Page, title: string) => page.evaluate(`vaWave('texts', { title: '${title}', send: 'Odeslat' })`);
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.localName');

  test('keep the form, and the keyboard focus where it was: on the page or in the panel', async () => {
    const { page, widget } = await harness.visit({ body: SELECT });
    await widget.openForm();
    await widget.field('Message').fill('Hello');
    await page.getByLabel('Language').focus();
    await set(page, 'first');
    expect([await widget.send.textContent(), await focused(page)]).toEqual(['Odeslat', 'select']);
    await widget.field('Message').focus();
    await set(page, 'second');
    expect(await focused(page)).toBe('va-wave-widget');
    expect(await widget.field('Message').inputValue()).toBe('Hello');
  });

  test('do nothing when they change nothing', async () => {
    const { page, widget } = await harness.visit({ body: SELECT });
    await widget.openForm();
    await set(page, 'same');
    await page.evaluate(`window.before = document.querySelector('va-wave-widget')`);
    await set(page, 'same');
    await page.evaluate(`vaWave('texts'); vaWave('texts', { send: 5 })`);
    expect(await page.evaluate(`window.before.isConnected`)).toBe(true);
    await set(page, 'other');
    expect(await page.evaluate(`window.before.isConnected`)).toBe(false);
  });
});

describe('mixed text', () => {
  /** Returns where the browser draws the last character of an element's text; `before` means to the left of the text. */
  const endOf = `(element) => {
  const text = [...element.childNodes].find((node) => node.nodeType === 3) ?? element.firstChild.firstChild;
  const at = (from, to) => { const range = document.createRange(); range.setStart(text, from); range.setEnd(text, to); return range.getBoundingClientRect(); };
  const last = text.data.length - 1;
  return at(last, last + 1).left < at(last - 1, last).left ? 'left' : 'right';
}`;
  const ends = (page: Awaited<ReturnType<(typeof harness)['visit']>>['page'], selector: string) =>
    page.evaluate<string>(
      `(${endOf})(document.querySelector('va-wave-widget').shadowRoot.querySelector('${selector}'))`,
    );

  test('a Hebrew title ends on the left; an English title on a page from right to left ends on the right', async () => {
    const hebrew = await harness.visit({ html: 'lang="he" dir="rtl"' });
    await widgetOf(hebrew.page).launcher.click();
    expect(await ends(hebrew.page, 'h2')).toBe('left');
    const persian = await harness.visit({ html: 'lang="fa" dir="rtl"' });
    await widgetOf(persian.page).launcher.click();
    expect(await ends(persian.page, 'h2')).toBe('right');
    expect(await ends(persian.page, '.intro')).toBe('right');
  });

  test('a Hebrew form name keeps its question mark at its end on an English page', async () => {
    const forms = [{ ...CONTACT_FORM, name: 'במה אפשר לעזור?' }];
    harness.service.showForms(...forms);
    const { page } = await harness.visit();
    await widgetOf(page).launcher.click();
    expect(await ends(page, 'h2')).toBe('left');
  });

  test('addresses and numbers run from left to right and start at the side where the lines of the page start', async () => {
    const { page } = await harness.visit({ html: 'lang="he" dir="rtl"' });
    await widgetOf(page).openForm();
    const looks = await widgetOf(page)
      .host.locator('input, textarea')
      .evaluateAll((fields) =>
        fields.map((field) => {
          const { direction, textAlign } = field.ownerDocument.defaultView.getComputedStyle(field);
          return [field.inputMode || field.type, direction, textAlign];
        }),
      );
    expect(looks).toEqual([
      ['text', 'rtl', 'right'],
      ['email', 'ltr', 'right'],
      ['tel', 'ltr', 'right'],
      ['decimal', 'ltr', 'right'],
      ['textarea', 'rtl', 'right'],
    ]);
  });
});
