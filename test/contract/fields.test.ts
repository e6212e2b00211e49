import fc from 'fast-check';
import { actionInput } from '../../src/contract/actions.ts';
import { assistantChange } from '../../src/contract/assistants.ts';
import { characters, exceedsCharacters, truncateCharacters } from '../../src/contract/fields.ts';
import { sessionCreateRequest } from '../../src/contract/sessions.ts';
import { anyCharacter } from '../harness/any-character.ts';

const problem = (result: {
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
}) => result.error?.issues[0]?.message;

test.each([
  ['012345678', 'must be at least 10 characters'],
  ['👩'.repeat(9), 'must be at least 10 characters'],
  ['012345678 ', undefined],
  [' '.repeat(10), 'is required'],
  ['', 'is required'],
  ['👩'.repeat(20), undefined],
  ['👩'.repeat(21), 'must be at most 20 characters'],
])('counts %j as typed', (text, expected) => {
  expect(problem(characters({ min: 10, max: 20 }).safeParse(text))).toBe(expected);
});

test('every stored text refuses an unpaired surrogate', () => {
  const half = 'a\ud83d';
  const tool = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up', url: 'https://a.example/' };
  const property = (more: object) => ({ ...tool, parameters: { properties: { a: { type: 'string', ...more } } } });
  const mapped = { ...tool, response_field_map: { a: `$.${half}` } };
  const refused = [
    characters({ max: 9 }).safeParse(half),
    sessionCreateRequest.safeParse({ user_id: half }),
    ...[{ ...tool, name: half }, property({ description: half }), property({ pattern: half }), mapped].map((input) =>
      actionInput.safeParse(input),
    ),
    assistantChange.safeParse({ form_order: [half] }),
  ];
  expect(refused.map(problem)).toEqual(refused.map(() => 'must be well-formed Unicode'));
});

test('truncation returns the longest prefix within the limit, counted in code points', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.nat(40), (whole, limit) => {
      const cut = truncateCharacters(whole, limit);
      expect(cut).toBe([...whole].slice(0, limit).join(''));
      expect(exceedsCharacters(whole, limit)).toBe([...whole].length > limit);
      expect(exceedsCharacters(cut, limit)).toBe(false);
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
