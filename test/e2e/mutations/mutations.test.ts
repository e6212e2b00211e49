import { readFileSync } from 'node:fs';
import { MUTATIONS } from './mutations.ts';

/** What `npm run test:mutations` takes out is still there: a change of the code is seen at once, not in the next night. */
test.each(Object.entries(MUTATIONS))('%s: its text stands once in its file', (_, { file, text, becomes }) => {
  expect(readFileSync(file, 'utf8').split(text)).toHaveLength(2);
  expect(becomes).not.toBe(text);
});
