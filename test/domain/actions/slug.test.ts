import fc from 'fast-check';
import { slugOf } from '../../../src/domain/actions/slug.ts';

test.each([
  ['Contact us', 'contact-us'],
  ['  Contact   us! ', 'contact-us'],
  ['Größe & Café №5', 'gro-e-cafe-no5'],
  ['ALL_CAPS', 'all-caps'],
  ['日本', 'action-45678901'],
  ['---', 'action-45678901'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
])('%p becomes %p', (name, slug) => {
  expect(slugOf(name, 'act_012345678901')).toBe(slug);
});

test('every name has a slug that is valid in a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
      expect(slugOf(name, 'act_abcdefgh')).toMatch(/^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/);
    }),
  );
});
