import { readNumber } from '../../../widget/numbers.ts';

const read = (text: string) => readNumber(text, { number: 'number', zeros: 'zeros', ambiguous: 'ambiguous' });

const TYPED = {
  // As typed, however long, also by keyboards and programs that use other characters for the same.
  '0': '0',
  '7': '7',
  '12.50': '12.50',
  '1,5': '1.5',
  '.5': '0.5',
  ',5': '0.5',
  '-3': '-3',
  '−3': '-3',
  '+3': '3',
  '-0.125': '-0.125',
  '0,125': '0.125',
  '1234,567': '1234.567',
  '1.2340': '1.2340',
  ' 42\n': '42',
  '\u200e42\u2069': '42',
  '12345678901234567890': '12345678901234567890',
  [`0.${'123'.repeat(20)}`]: `0.${'123'.repeat(20)}`,
  '１２．５': '12.5',
  '－１２，５': '-12.5',
  '٣٫١٤': '3.14',
  '١٫٢٣٤': '1.234',
  // Leading zeros, which an identifier has.
  '00': 'zeros',
  '0012': 'zeros',
  '-01': 'zeros',
  '00.5': 'zeros',
  '٠١٢': 'zeros',
  // A thousand and more, or a number below a thousand.
  '1.234': 'ambiguous 1234 / 1.2340',
  '1,234': 'ambiguous 1234 / 1,2340',
  '-999.000': 'ambiguous -999000 / -999.0000',
  '１，２３４': 'ambiguous 1234 / 1，2340',
  // Everything else.
  '': 'number',
  '-': 'number',
  '.': 'number',
  '5.': 'number',
  '5,': 'number',
  '12abc': 'number',
  '1/2': 'number',
  '½': 'number',
  '5²': 'number',
  '1e3': 'number',
  '1E+2': 'number',
  '0x10': 'number',
  '--5': 'number',
  '+-5': 'number',
  '5-': 'number',
  '(5)': 'number',
  '5%': 'number',
  '€5': 'number',
  '1 234': 'number',
  "1'234": 'number',
  '1.234,5': 'number',
  '1,23,456': 'number',
  '1..5': 'number',
  '٬١': 'number',
  NaN: 'number',
  Infinity: 'number',
};

test.each(Object.entries(TYPED))('%j is read as %s, or refused', (text, expected) => {
  const { json, problem } = read(text);
  expect(json ?? problem).toBe(expected);
});

const LANGUAGES =
  `af am ar ar-AE as az be bg bn bs ca cs cy da de de-AT de-CH el en en-IN en-ZA es es-MX et eu fa fi fil fr fr-CA fr-CH ga gl gu he hi hr hu hy
  id is it it-CH ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl or pa pl ps pt pt-PT ro ru sd si sk sl sq sr sv sw ta te th tk tr uk ur uz
  vi zh zh-TW zu`.split(/\s+/);
const DIGITS = Intl.supportedValuesOf('numberingSystem').filter((numberingSystem) =>
  /^\p{Nd}$/u.test(new Intl.NumberFormat('en', { numberingSystem }).format(1)),
);
const VALUES = [0, 5, -5, 0.5, 1.5, 12.5, -0.25, 999, 1000, 1234, 12345.678, 1234567.5, 1.234, 12.345, 123.456, 0.125];

describe('a number that is written as in any language, with any digits', () => {
  const LOCALES = [
    ...LANGUAGES,
    ...LANGUAGES.map((language) => `${language}-u-nu-latn`),
    ...['en', 'de'].flatMap((language) => DIGITS.map((digits) => `${language}-u-nu-${digits}`)),
  ];
  const written = (options: Intl.NumberFormatOptions) =>
    LOCALES.flatMap((locale) => {
      const format = new Intl.NumberFormat(locale, options);
      return VALUES.map((value) => ({ locale, value, text: format.format(value) }));
    });

  test('is never read as another number', () => {
    const wrong = [
      ...written({ maximumFractionDigits: 3 }),
      ...written({ maximumFractionDigits: 3, useGrouping: false }),
    ].filter(({ value, text }) => {
      const { json } = read(text);
      return json !== undefined && Number(json) !== value;
    });
    expect(wrong).toEqual([]);
  });

  test('is read when it has no grouping and no third decimal place', () => {
    const plain = written({ useGrouping: false, maximumFractionDigits: 2 });
    const refused = plain.filter(({ text }) => read(text).json === undefined);
    expect(plain.length).toBeGreaterThan(5000);
    expect(refused).toEqual([]);
  });
});
