import { InvalidArgumentError } from 'commander';
import { isJsonObject } from '../src/contract/fields.ts';
import { parseJson } from '../src/domain/parse-json.ts';
import { invalidField } from '../src/domain/refusal.ts';
import type { CliCommand } from './command.ts';
import type { CliProcess } from './process.ts';

/** Where the value of an option can be. */
type Files = Pick<CliProcess, 'readFile' | 'readStdin'>;

/** Collects the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Parses a whole number. The domain checks its bounds. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Parses a whole number above zero. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

const SECOND_MS = 1000;
const UNITS: Readonly<Record<string, number>> = { s: SECOND_MS, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION = /^([1-9]\d{0,5})([smhd])$/;

/** Parses a duration such as `30m` into milliseconds. @throws InvalidArgumentError */
export function duration(text: string): number {
  const [, count = '', unit = ''] = DURATION.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  if (milliseconds === undefined) throw new InvalidArgumentError('It must be a time such as 30m, 1h or 2d.');
  return Number(count) * milliseconds;
}

/** A time in the past: a duration ago, such as `2h`, or an ISO 8601 time with its offset. */
export type Moment = { readonly agoMs: number } | { readonly at: string };

/** Parses a time in the past. @throws InvalidArgumentError */
export function moment(text: string): Moment {
  if (DURATION.test(text)) return { agoMs: duration(text) };
  // A time of day needs its offset, because Date.parse would take it for the time zone of this machine.
  const time = /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be 30m, 1h or 2d ago, or 2026-03-04T05:06:00Z.');
  return { at: new Date(time).toISOString() };
}

/** Returns the time as ISO 8601 in UTC. */
export function timeOf(when: Moment, now: Date): string {
  return 'at' in when ? when.at : new Date(now.getTime() - when.agoMs).toISOString();
}

/** The option that says where the search for an event begins. */
export type Search = { readonly at?: Moment };

export function withSearch(command: CliCommand): CliCommand {
  return command.option(
    '--at <time>',
    "search from the event's time in its envelope back; makes the search fast",
    moment,
  );
}

/** Returns the time, ISO 8601, before which the search ends: a second after --at, because the envelope's time has no fraction. */
export const searchEnd = ({ at }: Search, now: Date): string | undefined =>
  at && new Date(Date.parse(timeOf(at, now)) + SECOND_MS).toISOString();

/** Returns true for --enable, false for --disable, undefined without both. @throws Refusal 400 when both are given */
export function switched(options: { readonly enable?: true; readonly disable?: true }): boolean | undefined {
  if (options.enable && options.disable) throw invalidField('enabled', '--enable and --disable exclude each other');
  return options.enable ?? (options.disable && false);
}

const normalized = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Finds the word that equals the text without regard to case, hyphens and spaces, such as `session-signed`, `ai-decided` or `post`.
 * Returns any other text unchanged, so that the domain refuses it and names the field.
 */
export function spelled(words: readonly string[], text: string): string {
  return words.find((word) => normalized(word) === normalized(text)) ?? text;
}

/**
 * Parses JSON from a text, from `@file`, or from stdin with `@-`. With `bareFile`, a text that is not JSON also names a file.
 * @throws Refusal 400 that names the field
 */
export async function jsonValue(
  field: string,
  text: string,
  cliProcess: Files,
  options: { readonly bareFile?: boolean } = {},
): Promise<unknown> {
  const bare = options.bareFile === true && !/^\s*[{["]/.test(text);
  const path = text.startsWith('@') ? text.slice(1) : bare ? text : undefined;
  const source = path === undefined ? text : await contentOf(field, path, cliProcess);
  const value = parseJson(source);
  if (value !== undefined) return value;
  throw invalidField(field, path === undefined ? 'must be JSON, or @file' : `${path} does not contain JSON`);
}

/** Works like jsonValue and requires a JSON object. @throws Refusal 400 that names the field */
export async function objectValue(field: string, text: string, cliProcess: Files): Promise<Record<string, unknown>> {
  const value = await jsonValue(field, text, cliProcess);
  if (!isJsonObject(value)) throw invalidField(field, 'must be a JSON object');
  return value;
}

/** Returns the text itself, the content of `@file`, or stdin for `@-`. @throws Refusal 400 that names the field */
export async function textValue(field: string, text: string, cliProcess: Files): Promise<string> {
  return text.startsWith('@') ? contentOf(field, text.slice(1), cliProcess) : text;
}

/** Returns the ids that the values of an option are, and those on the lines of the files that they name. @throws Refusal 400 that names the field */
export async function idValues(
  field: string,
  values: readonly string[],
  cliProcess: Files,
): Promise<readonly string[]> {
  const texts = await Promise.all(
    values.map(async (value) => {
      const text = await textValue(field, value, cliProcess);
      return value.startsWith('@') ? text.split(/\r?\n/).filter((line) => line !== '') : text;
    }),
  );
  return texts.flat();
}

async function contentOf(field: string, path: string, cliProcess: Files): Promise<string> {
  if (path === '-') return cliProcess.readStdin();
  try {
    return await cliProcess.readFile(path);
  } catch {
    throw invalidField(field, `cannot read the file ${path}`);
  }
}

/** Returns a change without the settings that are undefined, so that they are neither changed nor replaced by defaults. */
export function withoutUndefined(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
