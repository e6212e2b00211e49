/** What a template, an event and a policy are made of. */
export type Json = null | boolean | number | string | readonly Json[] | JsonRecord;
export type JsonRecord = { readonly [key: string]: Json };

export const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** Parses text that must be a JSON object; undefined when it is anything else. */
export function parseObject(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a parameter that is text; undefined when it is missing. AWS's models have refused every other type. */
export const optionalText = (parameters: JsonRecord, name: string): string | undefined => {
  const value = parameters[name];
  return typeof value === 'string' ? value : undefined;
};

export const textOf = (parameters: JsonRecord, name: string): string => optionalText(parameters, name) ?? '';

export const objectsOf = (parameters: JsonRecord, name: string): readonly JsonRecord[] => {
  const value = parameters[name];
  return isList(value) ? value.filter(isObject) : [];
};
