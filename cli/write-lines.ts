import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Implements `writeLines` of the process (process.ts). The file has another name until it is complete. */
export async function writeLines(path: string | undefined, lines: AsyncIterable<string>): Promise<void> {
  if (path === undefined) return pipeline(lines, process.stdout, { end: false });
  const part = `${path}.part`;
  try {
    await pipeline(lines, createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
