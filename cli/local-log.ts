import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { LogLine, LogQuery } from '../src/adapters/log-group.ts';
import { parseJson } from '../src/contract/json.ts';

/**
 * Reads the log of a function of the one-machine service, which is a file.
 * @param folder the data folder
 * @param logGroup name of the log group in the stack's outputs
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

/** Returns the time of a structured line, or undefined for any other line. Other lines are always shown. */
function timeOf(line: string): Date | undefined {
  try {
    const parsed = structured.safeParse(parseJson(line));
    if (parsed.success) return new Date(parsed.data.timestamp);
  } catch {
    // The line is a part of a stack trace, or Node wrote it.
  }
  return undefined;
}
