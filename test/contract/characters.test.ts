import fc from 'fast-check';
import { exceedsCharacters, truncateCharacters } from '../../src/contract/characters.ts';
import { anyCharacter } from '../harness/any-character.ts';

const text = fc.string({ unit: anyCharacter, maxLength: 60 });
const limit = fc.nat(40);

test.each([
  ['', 0, ''],
  ['abc', 3, 'abc'],
  ['abc', 2, 'ab'],
  ['abc', 0, ''],
  ['👩👩', 1, '👩'],
  ['a👩b', 2, 'a👩'],
  ['e\u0301', 1, 'e'],
  ['\ud800a', 1, '\ud800'],
])('%p truncated to %p characters is %p', (whole, characters, cut) => {
  expect(truncateCharacters(whole, characters)).toBe(cut);
});

test('truncation returns the longest prefix within the limit, counted in code points', () => {
  fc.assert(
    fc.property(text, limit, (whole, characters) => {
      const cut = truncateCharacters(whole, characters);
      expect(cut).toBe([...whole].slice(0, characters).join(''));
      expect(exceedsCharacters(cut, characters)).toBe(false);
      expect(truncateCharacters(cut, characters)).toBe(cut);
      if (whole.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
    }),
  );
});

test('a text exceeds a limit if and only if it has more code points', () => {
  fc.assert(
    fc.property(text, limit, (whole, characters) => {
      expect(exceedsCharacters(whole, characters)).toBe([...whole].length > characters);
    }),
  );
});

test('checking a huge text costs no more than its limit', () => {
  const huge = '👩'.repeat(5_000_000);
  const started = performance.now();
  for (let i = 0; i < 1000; i++) {
    exceedsCharacters(huge, 100);
    truncateCharacters(huge, 100);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});
