import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner may read; a reader, or a crash, sees the old text or the new, never half. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}
