import fc from 'fast-check';
import { jsonNumberOf } from '../../../src/domain/json-number.ts';
import { parseJson } from '../../../src/domain/parse-json.ts';

const numberOf = (text: string) => jsonNumberOf(parseJson(text));

test.each([
  ['1', '1.0', '1e0', '10e-1', '0.1E+1', '1.000'],
  ['1000', '1e3', '1E+3', '1000.0'],
  ['0', '-0', '0.0', '-0e5', '0e999999999'],
  ['-2.5', '-25e-1', '-2.50'],
  ['2512292042121000001', '2512292042121000001.0', '2512292042121000001e0'],
  ['1e999999999', '10e999999998', '0.1e1000000000'],
])('%s is written in several ways', (...texts) => {
  expect(new Set(texts.map((text) => numberOf(text)?.spelling)).size).toBe(1);
});

test.each([
  ['2512292042121000001', '2512292042121000000'],
  ['9007199254740993', '9007199254740992'],
  ['1e999999999', '1e999999998'],
  ['1', '-1'],
  ['0.1', '0.100000000000000000000000000001'],
])('%s is not %s', (a, b) => {
  expect(numberOf(a)?.spelling).not.toBe(numberOf(b)?.spelling);
});

test.each([
  ['1.0', true],
  ['1e3', true],
  ['25e-1', false],
  ['1e-400', false],
  ['1e400', true],
  ['9'.repeat(5000), true],
  ['0.1', false],
  ['-0', true],
])('whether %.20s is an integer: %p', (text, integer) => {
  expect(numberOf(text)?.integer).toBe(integer);
});

test.each([['"1"'], ['true'], ['null'], ['[]'], ['{"rawJSON":"1"}'], [`1e${'9'.repeat(16)}`]])(
  '%s is no number',
  (text) => {
    expect(numberOf(text)).toBeUndefined();
  },
);

test('every double is equal to itself alone', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(double, double, (a, b) => {
      const exact = numberOf(a.toExponential())?.spelling;
      expect(jsonNumberOf(a)?.spelling).toBe(exact);
      expect(jsonNumberOf(b)?.spelling === exact).toBe(a === b);
    }),
  );
});
