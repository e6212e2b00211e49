import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as z from 'zod';

const textsOf = (language: string) =>
  z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(`widget/texts/${language}.json`, 'utf8')));
const english = textsOf('en');
const languages = globSync('widget/texts/*.json')
  .map((file) => basename(file, '.json'))
  .filter((name) => !['en', 'x-debug'].includes(name))
  .sort();

test('the widget has texts in at least thirteen languages', () => {
  expect(['en', ...languages]).toEqual(
    expect.arrayContaining(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'he', 'ar', 'ja', 'zh']),
  );
});

describe.each(languages)('%s', (language) => {
  const texts = textsOf(language);

  test('has every text and no other, none of them in English or with markup', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [name, text] of Object.entries(texts)) {
      expect(text.trim()).toBe(text);
      expect(text).not.toMatch(/[<>]/);
      if (text.length > 12) expect([name, text]).not.toEqual([name, english[name]]);
    }
  });

  // A page that writes `no`, `iw` or `tl` asks for the texts by the usual code.
  test('is named by the code that the widget asks for', () => {
    const { language: code, script } = new Intl.Locale(language).maximize();
    expect(script === 'Hant' ? `${code}-hant` : code).toBe(language);
  });

  test('has words for each kind of field that a browser can fill', () => {
    const kindsOf = ({ autofill = '' }) => autofill.split(';').map((line) => line.replace(/:[^:,]+(,[^:,]+)*$/, ''));
    expect(kindsOf(texts)).toEqual(kindsOf(english));
  });

  test('keeps the example address, and the dots of texts about work in progress', () => {
    expect(texts.email).toContain('name@example.com');
    for (const name of ['sending', 'renewing']) expect(texts[name]).toMatch(/…$/);
  });
});
