import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf, keepAssembly } from '../../local/kept-assembly.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-assembly-'));
  mkdirSync(join(folder, 'src/deep'), { recursive: true });
  writeFileSync(join(folder, 'src/a.ts'), 'a');
  writeFileSync(join(folder, 'src/deep/.hidden.css'), 'b');
  writeFileSync(join(folder, 'lock.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hash = (...values: string[]) => hashOf(folder, ['src', 'lock.json'], values);

test('the same files and values have the same hash', () => {
  expect(hash('v24')).toBe(hash('v24'));
  expect(hash('v24')).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, () => void]>([
  ['a changed file', () => writeFileSync(join(folder, 'src/a.ts'), 'A')],
  [
    'a changed file that is hidden, deep down and of any type',
    () => writeFileSync(join(folder, 'src/deep/.hidden.css'), 'B'),
  ],
  ['a new file', () => writeFileSync(join(folder, 'src/deep/new.json'), '')],
  ['a deleted file', () => rmSync(join(folder, 'src/a.ts'))],
  ['another name', () => renameSync(join(folder, 'src/a.ts'), join(folder, 'src/b.ts'))],
  ['a changed lock file', () => writeFileSync(join(folder, 'lock.json'), '{ }')],
])('%s changes the hash', (_, change) => {
  const before = hash();
  change();
  expect(hash()).not.toBe(before);
});

test('another value changes the hash, and adjacent values are separated', () => {
  expect(hash('v24')).not.toBe(hash('v25'));
  expect(hash('a', 'b')).not.toBe(hash('ab'));
});

describe('an assembly', () => {
  let made: number;
  const outdir = () => join(folder, 'assembly');
  const make = async (into: string) => {
    made += 1;
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, 'manifest.json'), String(made));
  };
  beforeEach(() => {
    made = 0;
  });

  test('is made once while its sources are the same, and again when they have changed', async () => {
    await keepAssembly(outdir(), hash, make);
    await keepAssembly(outdir(), hash, make);
    expect(made).toBe(1);
    writeFileSync(join(folder, 'src/a.ts'), 'changed');
    await keepAssembly(outdir(), hash, make);
    expect(made).toBe(2);
  });

  test('that could not be made is not kept', async () => {
    await keepAssembly(outdir(), hash, make);
    writeFileSync(join(folder, 'src/a.ts'), 'changed');
    const fail = async () => Promise.reject(new Error('no'));
    await expect(keepAssembly(outdir(), hash, fail)).rejects.toThrow('no');
    await keepAssembly(outdir(), hash, make);
    expect(made).toBe(2);
  });

  test('that was made while a source changed is made again', async () => {
    await keepAssembly(outdir(), hash, async (into) => {
      await make(into);
      writeFileSync(join(folder, 'src/a.ts'), 'saved meanwhile');
    });
    await keepAssembly(outdir(), hash, make);
    expect(made).toBe(2);
  });

  test('that is incomplete is made again', async () => {
    await keepAssembly(outdir(), hash, make);
    rmSync(join(outdir(), 'manifest.json'));
    await keepAssembly(outdir(), hash, make);
    expect(made).toBe(2);
  });
});
