import { existsSync, readFileSync } from 'node:fs';
import { MUTATIONS } from './mutations.ts';

test('the text of every mutation is once in its file, and the test that finds it exists', () => {
  const stale = Object.entries(MUTATIONS).filter(
    ([, { file, text, seenBy }]) => readFileSync(file, 'utf8').split(text).length !== 2 || !existsSync(seenBy),
  );
  expect(stale.map(([name]) => name)).toEqual([]);
});
