import { readFileSync } from 'node:fs';
import { passagesOf } from '../../scripts/words/passages.ts';
import { unwantedWords } from '../../scripts/words/unwanted-words.ts';
import { UNWANTED } from '../../scripts/words/word-list.ts';

const check = (path: string, text: string) => unwantedWords(path, passagesOf(path, text));

test('npm run check checks the words', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.check.split(' && ')).toContain('node scripts/words.ts');
});

test.each([
  ['a comment', 'a.ts', '// Nobody waits.', 'a.ts:1 "Nobody"'],
  [
    'a docstring that is broken over two lines',
    'a.ts',
    '\n/**\n * SQS hands\n * out a message.\n */',
    'a.ts:3 "hands * out"',
  ],
  ['a string', 'a.ts', "const text = 'One look-up';", 'a.ts:1 "look-up"'],
  ['a template', 'a.ts', 'const text = `first\n whoever`;', 'a.ts:2 "whoever"'],
  ['a text of JSX', 'a.tsx', 'const page = <p>Nobody</p>;', 'a.tsx:1 "Nobody"'],
  ['an identifier', 'a.ts', 'const marks = 1;', 'a.ts:1 "marks"'],
  ['a private field', 'a.ts', 'class A { #played = 1; }', 'a.ts:1 "played"'],
  ['a type', 'a.ts', 'type World = string;', 'a.ts:1 "World"'],
  ['a document', 'a.md', '# Title\n\nThe house stands.', 'a.md:3 "house"'],
])('finds an unwanted word in %s', (_, path, text, expected) => {
  const found = check(path, text);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(expected);
});

test.each([
  ['a code span', 'a.md', 'The command `marks nobody` runs.'],
  ['a code block', 'a.md', '```sh\nnobody\n```\n'],
  ['the target of a link', 'a.md', '[page](nobody.md)'],
  ['a code span of a comment', 'a.ts', '// The user `nobody` owns the file.'],
  ['a part of a word', 'a.ts', "const text = 'warehouse';"],
  ['a name where only prose is checked', 'a.ts', 'const nobody = 1;'],
  ['a sentence of the contract', 'a.md', 'It fires when the bot sends a response.'],
  ['the licenses of others', 'THIRD-PARTY-NOTICES.md', 'Nobody is liable.'],
])('allows the same word in %s', (_, path, text) => {
  expect(check(path, text)).toEqual([]);
});

test.each(UNWANTED)('matches no empty text: $words', ({ words }) => {
  expect('').not.toMatch(new RegExp(`^(?:${words})$`, 'i'));
});
