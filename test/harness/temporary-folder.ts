import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { runFolder } from './run-folder.ts';

/** Creates an empty folder that is deleted after the run. */
export function temporaryFolder(): string {
  return mkdtempSync(join(runFolder(), 'test-'));
}
