import * as z from 'zod';

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
