import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../../../local/cloud/state/data-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'data-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('creates a data folder that only its owner can read', () => {
  const folder = DataFolder.open(join(root, 'new'));
  expect(modeOf(folder.path)).toBe(0o700);
  folder.release();
});

test('makes an existing data folder readable only for its owner', () => {
  const path = join(root, 'before');
  mkdirSync(join(path, 'receiver'), { recursive: true });
  chmodSync(path, 0o755);
  const folder = DataFolder.open(path);
  expect(modeOf(path)).toBe(0o700);
  folder.release();
});

test.each([
  ['a file', join(root, 'file')],
  ['below a file', join(root, 'file', 'x')],
  ...(process.platform === 'linux' ? [['below /proc', '/proc/x']] : []),
])('a path that is %s is refused with one message', (_, path = '') => {
  writeFileSync(join(root, 'file'), '');
  expect(() => DataFolder.open(path)).toThrow(`The data folder ${path} cannot be made`);
});
