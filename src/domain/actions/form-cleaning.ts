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
 * The values that go to the endpoint (spec "Limits", form rows): keys over 100 characters, strings over 5000 characters, lists
 * over 50 items and values of any other type are dropped; list items become strings of at most 500 characters.
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
  // JSON text such as 1e999 parses to Infinity, which no JSON can carry on.
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'string') return exceedsCharacters(value, FORM_STRING_MAX_CHARACTERS) ? undefined : value;
  if (Array.isArray(value) && value.length <= FORM_LIST_MAX_ITEMS) return listOfText(value);
  return undefined;
}

/** JSON.parse takes any depth, JSON.stringify some thousand levels: a list with an item deeper than that is dropped. */
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

/** The first Required field that was left out or left empty; judged before cleaning, as the visitor filled it in. */
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
