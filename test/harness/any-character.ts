import fc from 'fast-check';

/**
 * One code point, any but half of a surrogate pair: `unit` of a string. fast-check's own, `binary`, lists all million of them in each suite
 * before it draws the first, which takes seconds.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));
