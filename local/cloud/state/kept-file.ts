import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type * as z from 'zod';
import { CloudError, codeOf } from '../cloud-error.ts';

/**
 * Reads a JSON file of the data folder. Returns undefined when there is none.
 * @throws CloudError when the file cannot be read, because what it holds would be lost
 */
export function readKept<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CloudError(
      `The state in ${file} cannot be read. Delete the data folder to start without state, or name another with --data`,
    );
  }
}

/** Writes a JSON file as `writeFileAtomically` does. */
export const writeKept = (file: string, value: unknown): void =>
  writeFileAtomically(file, `${JSON.stringify(value, null, 2)}\n`);

/** Writes a file that only its owner can read. A reader, also after a crash, finds the complete old text or the complete new text. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}
