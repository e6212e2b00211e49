import { readFileSync } from 'node:fs';
import { MUTATIONS } from './mutations.ts';

/** `npm run test:mutations` runs every night. This test reports at once when a change of the code makes a mutation impossible. */
test.each(Object.entries(MUTATIONS))(
  'the text of the mutation occurs once in its file: %s',
  (_, { file, text, becomes }) => {
    expect(readFileSync(file, 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
  },
);
