import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOfFiles } from '../../../lib/hash-of-files.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const folder = temporaryFolder();
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  writeFileSync(join(folder, 'src/a.ts'), 'a');
  writeFileSync(join(folder, 'src/deep/.hidden.css'), 'b');
  writeFileSync(join(folder, 'lock.json'), '{}');
});

const hash = (...values: string[]) => hashOfFiles(folder, ['{src,missing}/**/{*,.*}', 'lock.json'], values);

test.each<[string, () => void]>([
  ['a changed file', () => writeFileSync(join(folder, 'src/a.ts'), 'A')],
  ['a changed hidden file deep down', () => writeFileSync(join(folder, 'src/deep/.hidden.css'), 'B')],
  ['a new file', () => writeFileSync(join(folder, 'src/deep/new.json'), '')],
  ['a deleted file', () => rmSync(join(folder, 'src/a.ts'))],
  ['another name', () => renameSync(join(folder, 'src/a.ts'), join(folder, 'src/b.ts'))],
  ['a changed lock file', () => writeFileSync(join(folder, 'lock.json'), '{ }')],
])('%s changes the hash', (_, change) => {
  const before = hash();
  expect(hash()).toBe(before);
  change();
  expect(hash()).not.toBe(before);
});

test('another value changes the hash, and adjacent values are separated', () => {
  expect(hash('v24')).not.toBe(hash('v25'));
  expect(hash('a', 'b')).not.toBe(hash('ab'));
});
