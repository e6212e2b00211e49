import * as z from 'zod';
import { ServiceError } from '../../domain/service-error.ts';
import type { DynamoDb, StoredItem } from './client.ts';

/**
 * The newest version of an item that this code reads. It is raised when older code would misread a kind of item (docs/architecture.md,
 * "Rolling back"). Then only the items of that kind name the new version when they are put.
 */
const NEWEST_VERSION = 1;

const keyOf = ({ pk, sk }: StoredItem) => (sk === undefined ? [pk] : [pk, sk]).map(String).join(' / ');

/** Thrown for an item that newer code wrote, and that this code would misread. The message names table, key and version. */
export class NewerItem extends ServiceError {
  override readonly name = 'NewerItem';

  constructor(table: string, { v: version, ...item }: StoredItem) {
    super(
      `Table ${table} holds an item of version ${typeof version === 'number' ? version : 'unknown'}, ${keyOf(item)}, but this code reads versions up to ${NEWEST_VERSION}: deploy the newer version of va-wave again`,
    );
  }
}

/** Thrown for an item that does not have the shape of its kind. The message names table, key and attribute, never a value. */
export class UnreadableItem extends ServiceError {
  override readonly name = 'UnreadableItem';

  constructor(table: string, item: StoredItem, problem: string) {
    super(`Table ${table} holds an item that cannot be read, ${keyOf(item)}: ${problem}`);
  }
}

/** Validates an item of one kind. @throws UnreadableItem, NewerItem */
export type ItemReader<Value> = (table: string, item: StoredItem) => Value;

/**
 * Creates the reader of one kind of item. Its schema describes stored items, not input: it has no limits, so that an item which was
 * entered under other limits can be read, and it has loose objects where a change must keep the fields of newer code.
 */
export function itemReader<Value>(schema: z.ZodType<Value>): ItemReader<Value> {
  return (table, item) => {
    if (hasForeignPrototype(item)) throw new UnreadableItem(table, item, 'an attribute is called __proto__');
    if (item.v !== undefined && !(typeof item.v === 'number' && item.v <= NEWEST_VERSION))
      throw new NewerItem(table, item);
    const parsedItem = schema.safeParse(item);
    if (parsedItem.success) return parsedItem.data;
    throw new UnreadableItem(table, item, problemOf(parsedItem.error));
  };
}

/** Reads one item. @returns undefined when there is none @throws as the reader */
export async function findItem<Value>(
  client: Pick<DynamoDb, 'get'>,
  table: string,
  key: Readonly<Record<string, string>>,
  read: ItemReader<Value>,
): Promise<Value | undefined> {
  const { Item } = await client.get({ TableName: table, Key: key });
  return Item === undefined ? undefined : read(table, Item);
}

/** Reads each item of a list by itself, so that one which cannot be read does not affect the others. */
export function readEach<Item, Value, Name>(
  items: readonly Item[],
  readItem: (item: Item) => Value,
  nameOf: (item: Item) => Name,
): readonly [values: readonly Value[], unreadable: readonly (Name & { readonly cause: Error })[]] {
  const values: Value[] = [];
  const unreadable: (Name & { readonly cause: Error })[] = [];
  for (const item of items) {
    try {
      values.push(readItem(item));
    } catch (cause) {
      if (!(cause instanceof UnreadableItem || cause instanceof NewerItem)) throw cause;
      unreadable.push({ ...nameOf(item), cause });
    }
  }
  return [values, unreadable];
}

/** Reads the items of a page that can be read. @param unreadable is called with the error of each other one */
export function readableOf<Item, Value>(
  items: readonly Item[],
  readItem: (item: Item) => Value,
  unreadable: (cause: Error) => void,
): readonly Value[] {
  const [values, others] = readEach(items, readItem, () => ({}));
  for (const { cause } of others) unreadable(cause);
  return values;
}

export const readKey = itemReader(z.object({ pk: z.string(), sk: z.string() }));

/** Returns the attribute and its problem. Names below the second level are left out, because they may be content. */
function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'it is not valid';
  return [issue.path.slice(0, 2).map(String).join('.'), issue.message].filter((part) => part !== '').join(': ');
}

/** Returns whether a part inherits attributes: unmarshalling makes `__proto__` the prototype of its object. */
function hasForeignPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasForeignPrototype);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return Object.values(value).some(hasForeignPrototype);
  return !isOfClass(prototype);
}

/** Returns whether this is the prototype of a class, such as that of binary data, a set or a large number. Stored data has no functions. */
function isOfClass(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    typeof prototype.constructor === 'function' &&
    Object.hasOwn(prototype, 'constructor')
  );
}

export const allUnder = (TableName: string, pk: string) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
});

type Prefix = { readonly pk: string; readonly sk: string };
const withPrefix = (TableName: string, { pk, sk: prefix }: Prefix) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
});

/** Returns all items of a partition whose sort key begins so, in the order of the key. Reads strongly consistently. */
export async function itemsWithPrefix(client: DynamoDb, table: string, prefix: Prefix) {
  const items: StoredItem[] = [];
  for await (const { Items } of client.queryPages(withPrefix(table, prefix))) items.push(...Items);
  return items;
}

/** Returns one page of what follows the prefix in the sort keys of these items. @param page.after the last name of the page before */
export async function namesPage(
  client: DynamoDb,
  table: string,
  prefix: Prefix,
  { after, atMost }: { readonly after: string | undefined; readonly atMost: number },
): Promise<{ readonly names: readonly string[]; readonly next: string | undefined }> {
  const ExclusiveStartKey = after === undefined ? undefined : { pk: prefix.pk, sk: prefix.sk + after };
  const page = { ...withPrefix(table, prefix), Limit: atMost, ExclusiveStartKey };
  const { Items, LastEvaluatedKey } = await client.query(page);
  const names = Items.map((item) => readKey(table, item).sk.slice(prefix.sk.length));
  return { names, next: LastEvaluatedKey === undefined ? undefined : names.at(-1) };
}

/** Returns what follows the prefix in the sort keys of all these items. */
export async function namesUnder(client: DynamoDb, table: string, prefix: Prefix): Promise<readonly string[]> {
  const items = await itemsWithPrefix(client, table, prefix);
  return items.map((item) => readKey(table, item).sk.slice(prefix.sk.length));
}
