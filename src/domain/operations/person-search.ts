import { parseExactly } from '../../contract/json.ts';
import type { EventAttempt } from './event-attempts.ts';

/** Returns the place where a record has one of the ids, such as `data.user_id`; undefined when it has none. */
export type PlaceOf = (record: EventAttempt) => string | undefined;

/**
 * Creates the search for a person's ids in delivery records. An id is found as a whole: in the JSON of a payload or of a response, as the
 * name or the value of a field at any depth, text or number; in a text that is not JSON, where no character of an id stands beside it.
 * Upper and lower case differ. The place of a response begins with `response`.
 */
export function personSearch(ids: readonly string[]): PlaceOf {
  const wanted = new Set(ids);
  const asText = [...new Set(ids.flatMap((id) => [id, JSON.stringify(id).slice(1, -1)]))];
  const placeInText = (text: string): string | undefined => {
    let value: unknown;
    try {
      value = parseExactly(text);
    } catch {
      return asText.some((id) => standsAlone(text, id)) ? '' : undefined;
    }
    return placeInJson(value, wanted);
  };
  return ({ payload, response_excerpt, reference, trigger_ref }) => {
    const inPayload = payload === null ? undefined : placeInText(payload);
    if (inPayload !== undefined) return inPayload || 'payload';
    if (wanted.has(reference)) return 'reference';
    if (wanted.has(trigger_ref)) return 'trigger_ref';
    const inResponse = response_excerpt === null ? undefined : placeInText(response_excerpt);
    return inResponse === undefined ? undefined : ['response', inResponse].filter((part) => part !== '').join('.');
  };
}

/** Searches without recursion, because customers choose the depth of a response. */
function placeInJson(root: unknown, wanted: ReadonlySet<string>): string | undefined {
  const left = [{ place: '', value: root }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { place, value } = next;
    if (Array.isArray(value)) {
      for (const part of value) left.push({ place: `${place}[]`, value: part });
    } else if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
      for (const [name, part] of Object.entries(value)) {
        const below = place === '' ? name : `${place}.${name}`;
        if (wanted.has(name)) return below;
        left.push({ place: below, value: part });
      }
    } else if (typeof value !== 'boolean' && value !== null && wanted.has(textOf(value))) return place;
  }
  return undefined;
}

/** Returns the text of a text or a number. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const ENDS_IN_ID = /[\p{L}\p{N}_@+.-]$/u;
/** A full stop ends a sentence, unless a letter or digit follows it. */
const BEGINS_IN_ID = /^(?:[\p{L}\p{N}_@+-]|\.[\p{L}\p{N}])/u;
/** Two characters, each of at most two UTF-16 units. */
const BESIDE = 4;

function standsAlone(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const end = at + id.length;
    const before = text.slice(Math.max(0, at - BESIDE), at);
    if (!ENDS_IN_ID.test(before) && !BEGINS_IN_ID.test(text.slice(end, end + BESIDE))) return true;
  }
  return false;
}
