import type { FormField } from '../../contract/actions.ts';
import { exceedsCharacters, truncateCharacters } from '../../contract/characters.ts';
import {
  FORM_KEY_MAX_CHARACTERS,
  FORM_LIST_ITEM_MAX_CHARACTERS,
  FORM_LIST_MAX_ITEMS,
  FORM_STRING_MAX_CHARACTERS,
} from '../../contract/limits.ts';

export type CleanValue = string | number | boolean | readonly string[];

/**
 * Returns the values that are sent to the endpoint (spec "Limits", form rows). Drops keys over 100 characters, strings over 5000
 * characters, lists over 50 items and values of other types. List items become strings of at most 500 characters.
 */
export function cleanFormValues(values: Readonly<Record<string, unknown>>): Record<string, CleanValue> {
  const clean: [string, CleanValue][] = [];
  for (const [key, value] of Object.entries(values)) {
    if (exceedsCharacters(key, FORM_KEY_MAX_CHARACTERS)) continue;
    const kept = cleanValue(value);
    if (kept !== undefined) clean.push([key, kept]);
  }
  // fromEntries defines own properties, so that a key called __proto__ stays data.
  return Object.fromEntries(clean);
}

function cleanValue(value: unknown): CleanValue | undefined {
  if (typeof value === 'boolean') return value;
  // The JSON text 1e999 is parsed as Infinity, which JSON cannot represent.
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string') return exceedsCharacters(value, FORM_STRING_MAX_CHARACTERS) ? undefined : value;
  if (Array.isArray(value) && value.length <= FORM_LIST_MAX_ITEMS) return listOfText(value);
  return undefined;
}

/**
 * Returns the items as text. JSON.parse accepts any depth, but JSON.stringify only some thousand levels: a list with a deeper item is
 * dropped.
 */
function listOfText(items: readonly unknown[]): readonly string[] | undefined {
  try {
    return items.map(listItem);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function listItem(item: unknown): string {
  const text = typeof item === 'string' ? item : JSON.stringify(item);
  return truncateCharacters(text, FORM_LIST_ITEM_MAX_CHARACTERS);
}

/** Returns the first Required field that is missing or empty in the values as submitted, before they are cleaned. */
export function missingRequiredField(
  fields: readonly FormField[],
  values: Readonly<Record<string, unknown>>,
): FormField | undefined {
  return fields.find((field) => field.required && (!Object.hasOwn(values, field.key) || isEmpty(values[field.key])));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
