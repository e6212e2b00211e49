import { appendFileSync } from 'node:fs';

/** Names the file that collects the lines of a run; functions of a local cloud write there by themselves (local/local-cloud.ts). */
export const COLLECTION = 'VA_WAVE_LOCAL_LOG_COPY';

/** Hands over what a function wrote to its log, for the reporter to look through at the end of the run. */
export function collect(text: string): void {
  const file = process.env[COLLECTION];
  if (file !== undefined && text !== '') appendFileSync(file, text.endsWith('\n') ? text : `${text}\n`);
}
