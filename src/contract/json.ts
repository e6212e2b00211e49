import * as z from 'zod';
import { withEscapedNames } from './escaped-names.ts';

declare global {
  interface JSON {
    /** Returns an object that JSON.stringify writes as this text, which must be the text of a number. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether objects and lists are nested in more than so many levels. The value itself is the first level. */
export function exceedsLevels(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false;
  return limit === 0 || Object.values(value).some((part) => exceedsLevels(part, limit - 1));
}

/** Accepts any JSON object and returns it unchanged. z.record would return a copy without the key `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isJsonObject, { error: 'must be an object' })
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });

/**
 * Validates an object whose names and values must match these schemas. Refuses the name `__proto__`, which z.record would leave out
 * silently.
 */
export function recordOf<Value extends z.ZodType>(name: z.ZodString, value: Value) {
  return z.preprocess(
    (value, context) => {
      if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
        context.issues.push({
          code: 'custom',
          input: value,
          path: ['__proto__'],
          message: 'cannot be used as a name',
        });
      }
      return value;
    },
    z.record(name, value),
  );
}

/** Parses JSON into `unknown`, so that a schema must validate the result. @throws SyntaxError, which quotes the text */
export function parseJson(text: string): unknown {
  return withEscapedNames(text, JSON.parse(text), (literal) => JSON.parse(literal));
}

/** Matches a number that a double may not represent exactly: with 16 digits or more, with an exponent, or minus zero. */
const UNUSUAL = String.raw`-?(?:\d+(?:\.\d+)?[eE]|[\d.]{16})|-0(?:\.0+)?(?=[\s,\]}]|$)`;
const UNUSUAL_NUMBER = new RegExp(`^(?:${UNUSUAL})`);
/** May also match inside a string. That costs time and does not change the result. */
const MAY_HOLD_UNUSUAL = new RegExp(String.raw`(?:^|[[:,])\s*(?:${UNUSUAL})`);

/**
 * Parses JSON like JSON.parse, but keeps the text of a number that a double may not represent exactly, such as 12345678901234567890
 * or 1e400: it becomes an object that JSON.stringify writes as the same text. Use it for data that is passed on and not inspected.
 *
 * A text with such a number takes six times as long as with JSON.parse, and one with an escape in a name four times. A text that is nested in
 * thousands of levels is parsed like JSON.parse does, so that a caller can refuse it by name (EVENT_DATA_MAX_LEVELS).
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  return withEscapedNames(text, parsedExactly(text), (literal) =>
    UNUSUAL_NUMBER.test(literal) ? JSON.rawJSON(literal) : JSON.parse(literal),
  );
}

function parsedExactly(text: string): unknown {
  if (!MAY_HOLD_UNUSUAL.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text, exactNumber);
  } catch (error) {
    // JSON.parse with a function overflows the stack, and without one it does not.
    if (!(error instanceof RangeError)) throw error;
    return JSON.parse(text);
  }
}

/** @param context Node passes it, but TypeScript's type of a reviver does not have it yet */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && UNUSUAL_NUMBER.test(source) ? JSON.rawJSON(source) : value;
}
