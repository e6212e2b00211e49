import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, keepAssembly } from '../../local/service-assembly.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const folder = temporaryFolder();
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  writeFileSync(join(folder, 'src/a.ts'), 'a');
  writeFileSync(join(folder, 'src/deep/.hidden.css'), 'b');
  writeFileSync(join(folder, 'lock.json'), '{}');
});

const hash = (...values: string[]) => hashOf(folder, ['src', 'lock.json'], values);

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

test('an assembly is made once while its sources are the same; another one replaces it, also one that was not completed', async () => {
  const made: string[] = [];
  const assembled = (of: string, make = async () => {}) =>
    keepAssembly(folder, of, async (outdir) => {
      made.push(of);
      mkdirSync(outdir);
      await make();
    });
  expect([await assembled('a'), await assembled('a')]).toEqual(Array(2).fill(join(folder, 'assembly-a')));
  await expect(assembled('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await assembled('b');
  expect(made).toEqual(['a', 'b', 'b']);
  expect(readdirSync(folder).filter((name) => name.startsWith('assembly'))).toEqual(['assembly-b']);
});
