import { appendFileSync } from 'node:fs';

/** The environment variable with the file that collects the log lines of a run. The local cloud also writes there (local/local-cloud.ts). */
export const COLLECTION = 'VA_WAVE_LOCAL_LOG_COPY';

/** Appends what a function wrote to its log to the collection, which the reporter checks at the end of the run. */
export function collect(text: string): void {
  const file = process.env[COLLECTION];
  if (file !== undefined && text !== '') appendFileSync(file, text.endsWith('\n') ? text : `${text}\n`);
}
