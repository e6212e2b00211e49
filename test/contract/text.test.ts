import { actionInput } from '../../src/contract/actions.ts';
import { sessionCreateRequest } from '../../src/contract/sessions.ts';
import { characters } from '../../src/contract/text.ts';

const HALF = 'a\ud83d';
const problem = (result: {
  readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
}) => result.error?.issues[0]?.message;

test.each([
  ['012345678', 'must be at least 10 characters'],
  ['01234567 ', 'must be at least 10 characters'],
  ['012345678 ', undefined],
  [' '.repeat(10), 'is required'],
  ['', 'is required'],
  ['👩'.repeat(10), undefined],
])('counts %j as typed', (text, expected) => {
  expect(problem(characters({ min: 10, max: 20 }).safeParse(text))).toBe(expected);
});

test('every stored text refuses an unpaired surrogate and accepts a pair', () => {
  const tool = { trigger: 'AI-decided', name: 'Look', description: 'Looks something up', url: 'https://a.example/' };
  const property = (more: object) => ({ ...tool, parameters: { properties: { a: { type: 'string', ...more } } } });
  const refused = [
    characters({ max: 9 }).safeParse(HALF),
    sessionCreateRequest.safeParse({ user_id: HALF }),
    ...[{ ...tool, name: HALF }, property({ description: HALF }), property({ pattern: HALF })].map((input) =>
      actionInput.safeParse(input),
    ),
    actionInput.safeParse({ ...tool, response_field_map: { a: `$.${HALF}` } }),
  ];
  expect(refused.map(problem)).toEqual(refused.map(() => 'must be well-formed Unicode'));
  expect(problem(characters({ max: 2 }).safeParse('a🙂'))).toBeUndefined();
});
