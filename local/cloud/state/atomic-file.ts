import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read. A reader, also after a crash, finds the complete old text or the complete new text. */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}
