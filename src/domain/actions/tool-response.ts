import { truncateCharacters } from '../../contract/characters.ts';
import { parseJson } from '../../contract/json.ts';
import { NON_JSON_RESPONSE_CHARACTERS, TOOL_RESPONSE_MAX_BYTES } from '../../contract/limits.ts';

/**
 * Returns the part of a response that is fed back to the assistant (spec "AI-decided response handling"). With a field map these are the
 * mapped paths, up to 1 MB together, without one the top-level scalars of the JSON object. Of a response that is not JSON, it is the first 500 characters.
 */
export function toolResponse(
  body: Uint8Array,
  fieldMap: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, unknown>> | string {
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    return truncateCharacters(text, NON_JSON_RESPONSE_CHARACTERS);
  }
  if (fieldMap !== undefined) {
    let left = TOOL_RESPONSE_MAX_BYTES;
    const mapped = Object.entries(fieldMap).map(([name, path]) => [name, valueAt(json, path)] as const);
    // Several paths may lead to one value, so the fields together can be larger than the response.
    const fits = (value: unknown) => {
      const bytes = jsonBytes(value);
      if (bytes > left) return false;
      left -= bytes;
      return true;
    };
    return Object.fromEntries(mapped.filter(([, value]) => value !== undefined && fits(value)));
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {};
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value === null || typeof value !== 'object'));
}

/**
 * Returns the size of a value as JSON. JSON.parse accepts any depth, but JSON.stringify only some thousand levels: a deeper value cannot be
 * passed on, so it is larger than any limit.
 */
function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Follows a path such as `$.a.b` through own properties only, so that no path reaches a prototype. Digits are the index of a list. */
function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}
