import * as z from 'zod';
import { INVISIBLE, invisibleProblem } from './invisible-characters.ts';
import { URL_ENCODED_MAX_BYTES, URL_MAX_CHARACTERS } from './limits.ts';

export const NOT_WELL_FORMED = 'must be well-formed Unicode';

/** Accepts text without unpaired surrogates. JSON can encode one, but DynamoDB refuses it. */
export const unicodeText = z.string().refine(isWellFormed, { error: NOT_WELL_FORMED });

/** Returns whether a text is empty without the characters that nobody can see. */
const isEmpty = (text: string) => text.replace(new RegExp(INVISIBLE, 'gu'), '').trim() === '';

type Bounds = { readonly min?: number; readonly max: number };

/** Accepts well-formed text of `min` to `max` code points, counted as typed. With a `min`, text that nobody can see counts as missing. */
export const characters = (bounds: Bounds) => within(unicodeText, bounds);

/**
 * Accepts a name or a label: one line, without white space around it. Joiners and direction marks are spelling in some languages. What
 * embeds, overrides or isolates a direction (U+202A to U+202E, U+2066 to U+2069) is refused: it also turns the sentence around the name.
 */
export const nameText = (bounds: Bounds) => within(visible(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u), bounds);

/** Accepts a description: as a name, but also with tabs and line ends, which are the control characters that the expression leaves out. */
export const proseText = (bounds: Bounds) => within(visible(/[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/u), bounds);

/** Accepts what programs compare, such as a key or a path: without white space around it, and without any character that nobody can see. */
export const keyText = (bounds: Bounds) => within(visible(INVISIBLE), bounds);

const unless =
  (problemOf: (text: string) => string | undefined) =>
  ({ value, issues }: z.core.ParsePayload<string>): void => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  };

/** Accepts text without white space around it and without the characters that `refused` matches. */
const visible = (refused: RegExp) => unicodeText.trim().check(unless((text) => invisibleProblem(text, refused)));

function within(text: z.ZodString, { min = 0, max }: Bounds) {
  const boundedText = text.check(
    unless((value) => {
      if (min > 0 && isEmpty(value)) return 'is required';
      if (min > 0 && !exceedsCharacters(value, min - 1)) return `must be at least ${min} characters`;
      return exceedsCharacters(value, max) ? `must be at most ${max} characters` : undefined;
    }),
  );
  // JSON Schema counts code points too.
  return boundedText.meta(min > 0 ? { minLength: min, maxLength: max } : { maxLength: max });
}

/**
 * Returns whether a text has more than `limit` code points, in which the spec's limits count, so that no limit splits a surrogate pair. A
 * code point is one or two units of `length`, so a huge text is not counted.
 */
export const exceedsCharacters = (text: string, limit: number): boolean =>
  text.length > 2 * limit || (text.length > limit && [...text].length > limit);

/** Returns the first `limit` code points of `text`. */
export const truncateCharacters = (text: string, limit: number): string =>
  [...text.slice(0, 2 * limit)].slice(0, limit).join('');

/** Returns whether a text has no unpaired surrogate. JSON can encode one, although it is no character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

declare global {
  interface JSON {
    /** Returns an object that JSON.stringify writes as this text, which must be the text of a number. */
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** A number of JSON that parseJson (domain/parse-json.ts) keeps as it was written, because JavaScript would write another one. */
export type RawNumber = { readonly rawJSON: string };

/** Accepts a number as it was written, for what is passed on. */
export const jsonNumber = z
  .custom<number | RawNumber>((value) => Number.isFinite(value) || JSON.isRawJSON(value), 'must be a number')
  .meta({ type: 'number' });

/** Accepts a whole number of a setting that the service computes with. `60.0` and `6e1` are the number 60. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    // An absent value is tried while the construct is imported, also by an older Node that has no raw numbers.
    (value: number) => (value !== undefined && JSON.isRawJSON(value) ? Number(value.rawJSON) : value),
    // The bounds first, because `int` has bounds of its own.
    z.number().min(min, { abort: true }).max(max, { abort: true }).int(),
  );

/** A JSON object whose members are not validated. */
export type JsonObject = { readonly [key: string]: unknown };

/** Returns whether a parsed JSON value is an object, and neither a list nor a number that was kept as it was written. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Takes an empty list as an empty object, which PHP writes as one, and returns every other value unchanged. */
export const emptyAsObject = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? {} : value);

/** Returns whether objects and lists are nested in more than so many levels. The value itself is the first level. */
export function exceedsLevels(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false;
  return limit === 0 || Object.values(value).some((part) => exceedsLevels(part, limit - 1));
}

/** Returns the bytes of a value as JSON. JSON.stringify takes some thousand levels: deeper is larger than any limit. */
export function jsonBytes(value: unknown): number {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length;
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Accepts any JSON object and returns it unchanged. z.record would return a copy without the key `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isJsonObject, { error: 'must be an object' })
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });

/**
 * Validates an object whose names and values must match these schemas. Refuses the name `__proto__`, and a name that differs from another
 * only in white space around it: z.record would leave them out silently. Counts the entries before it validates them.
 */
export function recordOf<Value extends z.ZodType>(name: z.ZodString, value: Value, max: number) {
  return z.preprocess(
    (value, context) => {
      const names = new Set(isJsonObject(value) ? Object.keys(value) : []);
      if (names.size > max) {
        context.addIssue({ code: 'custom', message: `must have at most ${max} entries`, fatal: true });
        return z.NEVER;
      }
      for (const entry of names) {
        const isRepeated = entry !== entry.trim() && names.has(entry.trim());
        if (entry !== '__proto__' && !isRepeated) continue;
        const message = isRepeated ? 'must not be the name of another entry' : 'cannot be used as a name';
        context.issues.push({ code: 'custom', input: value, path: [entry], message });
      }
      return value;
    },
    z.record(name, value),
  );
}

/**
 * Checks an endpoint URL without a DNS lookup (spec "Limits": https only, at most 2000 characters as typed). The outbound address rule
 * checks the address later, at each delivery.
 *
 * @param maxBytes limit for the URL in the encoded form in which it is sent
 * @returns the parsed URL, or why it is refused
 */
export function parseEndpointUrl(text: string, maxBytes = URL_ENCODED_MAX_BYTES): URL | string {
  if (!isWellFormed(text)) return NOT_WELL_FORMED;
  if (exceedsCharacters(text, URL_MAX_CHARACTERS)) return `must be at most ${URL_MAX_CHARACTERS} characters`;
  if (!text.toLowerCase().startsWith('https://')) return 'must start with https://';
  // WHATWG URL removes tabs, line ends and soft hyphens silently, and sends the other ones.
  const invisible = invisibleProblem(text);
  if (invisible !== undefined) return invisible;
  if (/[ \\]/.test(text)) return 'must not contain spaces or backslashes';
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.hostname === '') return 'must be a valid URL';
  if (/^https?$/.test(url.hostname)) return 'must have its https:// once';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.port === '0') return 'must not use port 0';
  if (url.href.length > maxBytes) return `must be at most ${maxBytes} bytes once encoded`;
  return url;
}

/** Checks an endpoint URL as parseEndpointUrl does. @returns why the URL is refused, or undefined when it is accepted */
export function endpointUrlProblem(text: string, maxBytes?: number): string | undefined {
  const parsedUrl = parseEndpointUrl(text, maxBytes);
  return typeof parsedUrl === 'string' ? parsedUrl : undefined;
}

/** Accepts an endpoint URL as endpointUrlProblem does, without white space around it. @param maxBytes limit for the URL in the encoded form in which it is sent */
export function endpointUrl(maxBytes?: number) {
  const checkedUrl = z
    .string()
    .trim()
    .check(unless((text) => endpointUrlProblem(text, maxBytes)));
  return checkedUrl.meta({ description: 'Starts with https://', maxLength: URL_MAX_CHARACTERS, pattern: '^https://' });
}

/** Asks for a rule for each field and no other: with `satisfies`, a stored field without a rule does not compile. */
export type RulesOf<Fields> = { readonly [Name in keyof Fields]-?: z.ZodType<Fields[Name]> };

/** The rules of a change of settings: each setting may be absent, and null removes one that may be missing. */
type ChangeOf<Settings extends z.ZodRawShape> = {
  -readonly [Name in keyof Settings]: undefined extends z.input<Settings[Name]>
    ? z.ZodPipe<z.ZodNullable<Settings[Name]>, z.ZodTransform<z.output<Settings[Name]> | undefined>>
    : z.ZodOptional<Settings[Name]>;
};

/** Returns the rules of a change by those of the settings, from which follows what can be removed. */
export function settingsChange<Settings extends z.ZodRawShape>(
  settings: Settings,
): z.ZodObject<ChangeOf<Settings>, z.core.$strict>;
export function settingsChange(settings: z.ZodRawShape): z.ZodObject<z.ZodRawShape, z.core.$strict> {
  const rules = Object.entries(settings).map(([name, rule]) => {
    const isOptional = z.safeParse(rule, undefined).success;
    return [name, isOptional ? z.nullable(rule).transform((value) => value ?? undefined) : z.optional(rule)];
  });
  return z.strictObject(Object.fromEntries(rules));
}
