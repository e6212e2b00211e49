import * as z from 'zod';

declare global {
  interface JSON {
    /** What JSON.stringify writes as this text, which is that of a number. */
    rawJSON(text: string): object;
  }
}

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any JSON object, handed on as it is: z.record would make a copy of it, without a key called `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(isJsonObject, { error: 'must be an object' })
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });

/**
 * An object whose names are checked as well as its values. Of these, `__proto__` is refused: z.record leaves it out without a
 * word.
 */
export function recordOf<Value extends z.ZodType>(name: z.ZodString, value: Value) {
  return z.preprocess(
    (value, context) => {
      if (isJsonObject(value) && Object.hasOwn(value, '__proto__')) {
        context.issues.push({
          code: 'custom',
          input: value,
          path: ['__proto__'],
          message: 'is no name that can be used',
        });
      }
      return value;
    },
    z.record(name, value),
  );
}

/** JSON.parse, whose result nobody may believe before a schema has seen it. @throws SyntaxError, which quotes the text */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** A number that a double may not hold as it is written: one of 16 digits, with an exponent, or minus zero. */
const UNUSUAL = String.raw`-?(?:\d+(?:\.\d+)?[eE]|[\d.]{16})|-0(?:\.0+)?(?=[\s,\]}]|$)`;
const UNUSUAL_NUMBER = new RegExp(`^(?:${UNUSUAL})`);
/** Finds some in strings as well, which costs time and changes nothing. */
const MAY_HOLD_UNUSUAL = new RegExp(String.raw`(?:^|[[:,])\s*(?:${UNUSUAL})`);

/**
 * As JSON.parse, except that a number which may change, such as 12345678901234567890 or 1e400, becomes an object that
 * JSON.stringify writes with the same text again. For what is carried on and not looked into.
 *
 * Takes six times as long for a text with such a number, and as long as JSON.parse for any other.
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  return MAY_HOLD_UNUSUAL.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

/** @param context every engine that we use passes it, but the types of TypeScript do not have it yet */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  return typeof value === 'number' && UNUSUAL_NUMBER.test(source) ? JSON.rawJSON(source) : value;
}
