import fc from 'fast-check';
import { canonicalJson } from '../../../packages/receiver/src/canonical-json.ts';
import { canonicalJson as serviceCanonicalJson } from '../../../src/domain/usage/canonical-json.ts';
import { anyCharacter } from '../../harness/any-character.ts';

test('the package and the service write the same canonical form', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string({ unit: anyCharacter }), fc.integer()), (value, members) => {
      for (const parsed of [value, members]) {
        const text = canonicalJson(parsed);
        expect(text).toBe(serviceCanonicalJson(parsed));
        expect(text).toMatch(/^[\x20-\x7e]*$/);
      }
    }),
  );
});
