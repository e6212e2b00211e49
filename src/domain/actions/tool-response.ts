import { truncateCharacters } from '../../contract/characters.ts';
import { parseJson } from '../../contract/json.ts';
import { NON_JSON_RESPONSE_CHARACTERS } from '../../contract/limits.ts';

/**
 * Returns the part of a response that is fed back to the assistant (spec "AI-decided response handling"). With a field map these are the
 * mapped paths, without one the top-level scalars of the JSON object. Of a response that is not JSON, it is the first 500 characters.
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
    const mapped = Object.entries(fieldMap).map(([name, path]) => [name, valueAt(json, path)] as const);
    return Object.fromEntries(mapped.filter(([, value]) => value !== undefined && isWritable(value)));
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {};
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value === null || typeof value !== 'object'));
}

/** JSON.parse accepts any depth, but JSON.stringify only some thousand levels. A deeper value cannot be passed on and is left out. */
function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
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
