import { InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { isJsonObject } from '../src/contract/fields.ts';
import { parseJson } from '../src/domain/parse-json.ts';
import { invalidField } from '../src/domain/refusal.ts';
import type { CliCommand } from './command.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { CliProcess } from './process.ts';

/** Collects the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Parses a whole number. The domain checks its bounds. @throws InvalidArgumentError */
export function wholeNumberOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Creates the parser of a whole number with these bounds. The parser throws InvalidArgumentError. */
export const numberFrom = (least: number, most?: number) => (text: string) => {
  const value = wholeNumberOf(text);
  if (value >= least && (most === undefined || value <= most)) return value;
  throw new InvalidArgumentError(
    most === undefined ? `It must be at least ${least}.` : `It must be from ${least} to ${most}.`,
  );
};

/** Parses a whole number above zero. @throws InvalidArgumentError */
export const positive = numberFrom(1);
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: 3_600_000, d: DAY_MS };
const DURATION = /^([1-9]\d{0,5})([smhd])$/;

/** Parses a duration such as `30m` into milliseconds. @throws InvalidArgumentError */
export function duration(text: string): number {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  if (milliseconds === undefined) throw new InvalidArgumentError('It must be a time such as 6s, 30m, 1h or 2d.');
  return Number(count) * milliseconds;
}

/** A duration ago, such as `2h`, or an ISO 8601 time with its offset: the beginning and the length of the day, minute or second. */
export type Moment = { readonly agoMs: number } | { readonly atMs: number; readonly lengthMs: number };

/** The forms of a time, each with its length: a day, a minute (precision -1), a second. A time of day needs its offset, because Date would take it for the time zone of this machine. Date also takes days that do not exist. */
const ISO_TIMES = [
  [z.iso.date(), DAY_MS],
  [z.iso.datetime({ offset: true, precision: -1 }), MINUTE_MS],
  [z.iso.datetime({ offset: true }), SECOND_MS],
] as const;

/** Parses a time. @throws InvalidArgumentError */
export function moment(text: string): Moment {
  if (DURATION.test(text)) return { agoMs: duration(text) };
  const [, lengthMs] = ISO_TIMES.find(([form]) => form.safeParse(text).success) ?? [];
  if (lengthMs === undefined)
    throw new InvalidArgumentError('It must be 30m, 1h or 2d ago, 2026-03-04 or 2026-03-04T05:06:00Z.');
  return { atMs: Date.parse(text), lengthMs };
}

/** Creates the option that says since when, which `sinceTime` reads. @param what of that time */
export const sinceOption = (what: string): Option =>
  new Option('--since <time>', `${what}: 30m, 1h or 2d ago, 2026-03-04 or 2026-03-04T05:06:00Z`).argParser(moment);

const beginningOf = (when: Moment, now: Date) => ('atMs' in when ? when.atMs : now.getTime() - when.agoMs);

/** Returns the time of --since as ISO 8601 in UTC. @throws Refusal 400 for a time in the future */
export function sinceTime(since: Moment, now: Date): string {
  const begins = beginningOf(since, now);
  if (begins > now.getTime()) throw invalidField('since', 'must not be in the future');
  return new Date(begins).toISOString();
}

export type SearchStart = { readonly at?: Moment };

export function withAt(command: CliCommand): CliCommand {
  return command.option(
    '--at <time>',
    "search from the event's time in its envelope back; makes the search fast",
    moment,
  );
}

/** Returns the time, ISO 8601, before which the search ends: after the day, minute or second of --at. The envelope's time has no fraction, so a duration ago ends a second later. */
export const searchEnd = ({ at }: SearchStart, now: Date): string | undefined =>
  at && new Date(beginningOf(at, now) + ('atMs' in at ? at.lengthMs : SECOND_MS)).toISOString();

const comparableText = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Finds the word that equals the text but for case, hyphens and spaces, such as `ai-decided`. Returns any other text, which the domain then refuses. */
export function wordLike(words: readonly string[], text: string): string {
  return words.find((word) => comparableText(word) === comparableText(text)) ?? text;
}

/** Parses JSON from a text, from `@file`, or from stdin with `@-`. @throws Refusal 400 that names the field */
export async function jsonValue(field: string, text: string, cliProcess: CliProcess): Promise<unknown> {
  const value = parseJson(await textValue(field, text, cliProcess));
  if (value !== undefined) return value;
  if (!text.startsWith('@')) throw invalidField(field, 'must be JSON, or @file');
  throw invalidField(field, `${text === '@-' ? 'stdin' : text.slice(1)} does not contain JSON`);
}

/** Works like jsonValue and requires a JSON object. @throws Refusal 400 that names the field */
export async function objectValue(field: string, text: string, cliProcess: CliProcess) {
  const value = await jsonValue(field, text, cliProcess);
  if (!isJsonObject(value)) throw invalidField(field, 'must be a JSON object');
  return value;
}

/** Returns the text itself, or the content of `@file`, or stdin for `@-`, without a byte order mark. @throws Refusal 400 that names the field */
export async function textValue(field: string, text: string, cliProcess: CliProcess): Promise<string> {
  if (!text.startsWith('@')) return text;
  const path = text.slice(1);
  const content = await (path === '-' ? cliProcess.readStdin() : cliProcess.readFile(path)).catch(() => {
    throw invalidField(field, `cannot read the file ${path}`);
  });
  // A file in UTF-16, as of PowerShell, read as UTF-8: its byte order mark, or a zero in each character.
  if (/^\ufffd\ufffd|\0/.test(content)) throw invalidField(field, `${path === '-' ? 'stdin' : path} is not UTF-8`);
  return content.replace(/^\ufeff/, '');
}

/** Returns the values that are ids, and the ids on the lines of the files that the others name. @throws Refusal 400 that names the field */
export async function userIds(values: readonly string[], cliProcess: CliProcess): Promise<readonly string[]> {
  const texts = await Promise.all(
    values.map(async (value) => {
      const text = await textValue('user', value, cliProcess);
      if (!value.startsWith('@')) return text;
      const lines = text.split('\n').map((line) => line.trim());
      return lines.filter((line) => line !== '');
    }),
  );
  return texts.flat();
}

/** Returns the settings that are not undefined, so that the others are neither changed nor replaced by defaults. */
export function withoutUndefined<Value>(settings: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Returns the settings that an update changes. @throws CommandFailure when no option names one */
export function namedChange(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const change = withoutUndefined(settings);
  if (Object.keys(change).length > 0) return change;
  throw new CommandFailure(EXIT.refused, 'Nothing to change: give at least one setting (--help lists them)');
}

/** Requires exactly one of these options. @throws CommandFailure with `how` */
export function requireOne(options: readonly unknown[], how: string): void {
  if (options.filter((value) => value !== undefined).length === 1) return;
  throw new CommandFailure(EXIT.refused, how);
}
