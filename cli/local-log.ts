import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { LogLine, LogQuery } from '../src/adapters/logs/function-log.ts';

/**
 * Lines that a function of the local cloud wrote: there, a log is a file.
 * @param folder of the ready file, which is that of the state unless it was copied
 * @param logGroup as the stack names it
 */
export async function* localLog(folder: string, logGroup: string, query: LogQuery): AsyncIterable<LogLine> {
  const construct = logGroup.replace(/^[^-]*-/, '').replace(/Log[0-9A-F]{8}$/, '');
  const logs = join(folder, 'logs');
  const files = await readdir(logs).catch((): string[] => []);
  const file = files.find((name) => name.startsWith(`${construct}Function`));
  if (file === undefined) return;
  for (const text of (await readFile(join(logs, file), 'utf8')).split('\n')) {
    const time = timeOf(text);
    if (text === '' || (time !== undefined && time < query.since)) continue;
    if (query.containing === undefined || text.includes(query.containing))
      yield { time: (time ?? query.since).toISOString(), text };
  }
}

const structured = z.object({ timestamp: z.iso.datetime() });

/** The time of a structured line; any other is shown, whenever it was written. */
function timeOf(line: string): Date | undefined {
  try {
    const parsed = structured.safeParse(JSON.parse(line));
    if (parsed.success) return new Date(parsed.data.timestamp);
  } catch {
    // A part of a stack trace, or a line of Node's own.
  }
  return undefined;
}
