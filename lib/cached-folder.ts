import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Builds a folder once. Several processes may call this at the same time, and none of them sees a folder that is incomplete.
 * @param folder contains the hash of everything that determines its files
 * @param build writes the files into the empty folder that it gets, which then becomes `folder`
 * @returns `folder`
 * @throws what `build` throws; the next call builds again
 */
export function cachedFolder(folder: string, build: (folder: string) => void): string {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const own = mkdtempSync(`${folder}.build-`);
  try {
    build(own);
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Another process may have finished first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
