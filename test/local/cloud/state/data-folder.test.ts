import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../../../local/cloud/state/data-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'data-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a new data folder is private', () => {
  const folder = DataFolder.open(join(root, 'new'));
  expect(modeOf(folder.path)).toBe(0o700);
  folder.release();
});

test('one that others could read, because something was put there before, is made private', () => {
  const path = join(root, 'before');
  mkdirSync(join(path, 'receiver'), { recursive: true });
  chmodSync(path, 0o755);
  const folder = DataFolder.open(path);
  expect(modeOf(path)).toBe(0o700);
  folder.release();
});
