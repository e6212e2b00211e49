import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder } from '../../lib/bundles.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

let cache: string;
let folder: string;
beforeEach(() => {
  cache = temporaryFolder();
  folder = join(cache, 'pages', 'a hash');
});

const writes = (text: string) => (made: string) => writeFileSync(join(made, 'file'), text);
const content = () => readFileSync(join(folder, 'file'), 'utf8');

test('a folder is built once', () => {
  expect(cachedFolder(folder, writes('first'))).toBe(folder);
  expect(cachedFolder(folder, writes('second'))).toBe(folder);
  expect(content()).toBe('first');
});

test('another process sees no folder until it is complete', () => {
  cachedFolder(folder, (made) => {
    writes('complete')(made);
    expect(existsSync(folder)).toBe(false);
  });
  expect(content()).toBe('complete');
});

test('the folder of a process that finishes first stays', () => {
  cachedFolder(folder, (made) => {
    cachedFolder(folder, writes('first'));
    writes('second')(made);
  });
  expect(content()).toBe('first');
  expect(readdirSync(join(cache, 'pages'))).toEqual(['a hash']);
});

test('a build that fails leaves nothing, and the next call builds again', () => {
  const fails = (made: string) => {
    writes('half')(made);
    throw new Error('Vite failed');
  };
  expect(() => cachedFolder(folder, fails)).toThrow('Vite failed');
  expect(readdirSync(join(cache, 'pages'))).toEqual([]);
  cachedFolder(folder, writes('complete'));
  expect(content()).toBe('complete');
});
