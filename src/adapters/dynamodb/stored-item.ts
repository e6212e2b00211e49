import * as z from 'zod';
import { refuseNewer } from './item-version.ts';

/** An item as DynamoDB holds it, with plain values: somebody wrote it, and nobody has looked at it yet. */
export type StoredItem = Readonly<Record<string, unknown>>;

/** Thrown for an item that does not have the shape that its key promises. Names its table and key and the attribute, never a value. */
export class UnreadableItem extends Error {
  override readonly name = 'UnreadableItem';

  constructor(table: string, { pk, sk }: StoredItem, problem: string) {
    const key = sk === undefined ? [pk] : [pk, sk];
    super(`Table ${table} holds an item that cannot be read, ${key.map(String).join(' / ')}: ${problem}`);
  }
}

/** @throws UnreadableItem, NewerItem */
export type ItemReader<Value> = (table: string, item: StoredItem) => Value;

/**
 * The way to read items of one kind. Its schema says what is stored, which is another thing than what may be entered: no limits, so
 * that an item that was entered under others is read, and loose objects where a change has to keep what newer code added.
 */
export function itemReader<Value>(schema: z.ZodType<Value>): ItemReader<Value> {
  return (table, item) => {
    if (hasForeignPrototype(item)) throw new UnreadableItem(table, item, 'an attribute is called __proto__');
    refuseNewer(table, item.v);
    const parsed = schema.safeParse(item);
    if (parsed.success) return parsed.data;
    throw new UnreadableItem(table, item, problemOf(parsed.error));
  };
}

/** Of an item of which nothing but the key matters. */
export const readKey = itemReader(z.object({ pk: z.string(), sk: z.string() }));

/** The attribute and what is wrong with it. What lies deeper than the second name may be content, such as a parameter's name. */
function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'it is not valid';
  return [issue.path.slice(0, 2).map(String).join('.'), issue.message].filter((part) => part !== '').join(': ');
}

/**
 * Whether something in here inherits attributes: the conversion of DynamoDB's values makes the value of an attribute that is called
 * `__proto__` its holder's prototype.
 */
function hasForeignPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasForeignPrototype);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return Object.values(value).some(hasForeignPrototype);
  return !isOfClass(prototype);
}

/** As binary, a set and a large number are. What was stored holds no function. */
function isOfClass(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    typeof prototype.constructor === 'function' &&
    Object.hasOwn(prototype, 'constructor')
  );
}
