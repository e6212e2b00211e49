import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepAssembly } from '../../../local/service-assembly.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const folder = temporaryFolder();
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
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
