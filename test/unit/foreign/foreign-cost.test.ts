import { growthOf } from './foreign-cost.ts';
import { FOREIGN_INPUTS, type ForeignInput } from './foreign-inputs.ts';

/** A linear cost grows by 2, that of V8's large objects by some more, and a square by 4. */
const GROWTH_MAX = 2.6;
/** `npm run bench -- foreign` measures up to the limit of each input. */
const LONGEST = 64 * 1024;

test.each(FOREIGN_INPUTS)('$name: twice the length costs twice as much', (input) => {
  expect(growthOf(input, Math.min(input.limit, LONGEST), GROWTH_MAX)).toBeLessThan(GROWTH_MAX);
});

test.each<readonly [string, number, (text: string) => unknown]>([
  ['an expression that backtracks', LONGEST / 8, (text) => /\s+$/.test(text)],
  [
    'a piece that is trimmed again',
    LONGEST / 4,
    (text) => text.split(' ').map((_, at) => text.slice(0, at).trimStart()),
  ],
])('a square is found: %s', (name, longest, read) => {
  const reader: ForeignInput['reader'] = (length) => {
    const text = `${' '.repeat(length)}a`;
    return () => read(text);
  };
  expect(growthOf({ name, limit: LONGEST, reader }, longest, GROWTH_MAX)).toBeGreaterThan(GROWTH_MAX);
});
