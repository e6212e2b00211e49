import {
  type BatchedWrite,
  type DynamoDb,
  FIRST_VERSION,
  type StoredItem,
} from '../../src/adapters/dynamodb/client.ts';
import { ConditionFailed } from '../../src/adapters/dynamodb/storage-errors.ts';
import type { Label } from './world.ts';

type Values = Readonly<Record<string, unknown>>;
type Expression = {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Values | undefined;
};
type Conditional = Expression & {
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
};
type Update = Conditional & {
  readonly TableName: string | undefined;
  readonly Key: Values | undefined;
  readonly UpdateExpression?: string | undefined;
};
type Read = Expression & {
  readonly TableName: string | undefined;
  readonly KeyConditionExpression?: string | undefined;
  readonly FilterExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly Limit?: number | undefined;
  readonly ScanIndexForward?: boolean | undefined;
  readonly ExclusiveStartKey?: Values | undefined;
};

/** DynamoDB refuses the call; the adapters have no such call. */
class ValidationException extends Error {
  override readonly name = 'ValidationException';
}

/**
 * Tables in memory with the expressions that the adapters use. Each method is one call, made at once. The test
 * test/service/fakes/tables.test.ts makes the same calls here and on a DynamoDB engine and compares the results.
 */
export class MemoryTables {
  readonly #tables = new Map<string, Map<string, StoredItem>>();

  /** The items of a table, in any order. */
  items(table: string): IterableIterator<StoredItem> {
    return this.#table(table).values();
  }

  clear(table: string): void {
    this.#table(table).clear();
  }

  get(table: string, key: Values): StoredItem | undefined {
    return this.#table(table).get(nameOf(key));
  }

  put(input: Conditional & { readonly TableName: string | undefined; readonly Item: Values | undefined }): void {
    const item = plain({ v: FIRST_VERSION, ...input.Item });
    const existing = this.get(input.TableName ?? '', item);
    check(existing, input);
    this.#set(input.TableName, item);
  }

  update(input: Update): StoredItem {
    const existing = this.get(input.TableName ?? '', input.Key ?? {});
    check(existing, input);
    const next = updated(existing ?? plain(input.Key ?? {}), input);
    this.#set(input.TableName, next);
    return next;
  }

  delete(input: Conditional & { readonly TableName: string | undefined; readonly Key: Values | undefined }): void {
    check(this.get(input.TableName ?? '', input.Key ?? {}), input);
    this.#table(input.TableName ?? '').delete(nameOf(input.Key ?? {}));
  }

  /** Returns a page of a query, or of a scan when there is no condition for the key. */
  read(input: Read): { Items: StoredItem[]; LastEvaluatedKey: Values | undefined; ScannedCount: number } {
    const condition = input.KeyConditionExpression;
    const values = Object.entries(input.ExpressionAttributeValues ?? {});
    const names: readonly string[] = condition?.match(/:\w+/g) ?? [];
    if (values.some(([name, value]) => value === '' && names.includes(name))) {
      throw new ValidationException('The AttributeValue for a key attribute cannot contain an empty string value.');
    }
    const matches = condition === undefined ? () => true : holds(condition, input);
    const order = input.ScanIndexForward === false ? -1 : 1;
    const from = input.ExclusiveStartKey === undefined ? undefined : nameOf(input.ExclusiveStartKey);
    const found = [...this.#table(input.TableName ?? '')]
      .filter(([, item]) => matches(item))
      .sort(([a], [b]) => (a < b ? -order : order))
      .filter(([name]) => from === undefined || (order === 1 ? name > from : name < from))
      .map(([, item]) => item);
    const page = found.slice(0, input.Limit);
    const last = page.at(-1);
    const kept = input.FilterExpression === undefined ? () => true : holds(input.FilterExpression, input);
    return {
      Items: page.filter(kept).map((item) => projected(item, input)),
      ScannedCount: page.length,
      LastEvaluatedKey: last !== undefined && page.length === input.Limit ? keyIn(last) : undefined,
    };
  }

  /** Makes writes independently of each other. Returns an error code for each that is not made. */
  writeEach(table: string, writes: readonly BatchedWrite[]): readonly (string | undefined)[] {
    const names = writes.map((write) => nameOf('insert' in write ? write.insert : write.key));
    if (new Set(names).size < writes.length) throw new ValidationException('Two writes of a call have the same key');
    return writes.map((write, index) => {
      const name = names[index] ?? '';
      const existing = this.#table(table).get(name);
      if ('insert' in write) {
        if (existing === undefined) this.put({ TableName: table, Item: write.insert });
        return existing === undefined ? undefined : 'DuplicateItem';
      }
      if (
        existing === undefined ||
        Object.entries(write.expectedValues).some(([key, value]) => existing[key] !== value)
      )
        return 'ConditionalCheckFailed';
      this.#table(table).set(name, { ...existing, ...plain(write.changes) });
      return undefined;
    });
  }

  transactWrite(items: Parameters<DynamoDb['transactWrite']>[0]): readonly number[] {
    const failed = items.flatMap(({ Put, Update, Delete, ConditionCheck }, position) => {
      const one = Put ?? Update ?? Delete ?? ConditionCheck;
      const existing = this.get(
        one?.TableName ?? '',
        Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {},
      );
      return one === undefined || meets(existing, one) ? [] : [position];
    });
    for (const { Put, Update, Delete } of failed.length > 0 ? [] : items) {
      if (Put) this.put(Put);
      if (Update) this.update(Update);
      if (Delete) this.delete(Delete);
    }
    return failed;
  }

  #table(name: string): Map<string, StoredItem> {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = new Map<string, StoredItem>();
    this.#tables.set(name, table);
    return table;
  }

  #set(table: string | undefined, item: StoredItem): void {
    this.#table(table ?? '').set(nameOf(item), item);
  }
}

/** Makes a call: at once, or when and with the faults that the caller decides. @param repeatable false for a call that takes effect once */
export type MakeCall = <Result>(label: Label, call: () => Result, repeatable: boolean) => Promise<Result>;

/** Returns the client of the adapters over tables in memory. */
export function memoryDynamoDb(tables: MemoryTables, make: MakeCall = async (_label, call) => call()): DynamoDb {
  const read = (label: string, input: Read) => make(label, () => tables.read(input), true);
  async function* pages(label: string, input: Read) {
    let from: Values | undefined;
    do {
      const page = await read(label, { ...input, ...(from === undefined ? {} : { ExclusiveStartKey: from }) });
      yield page;
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  }
  const query: DynamoDb['query'] = (input) => read(`query ${label(input.ExpressionAttributeValues)}`, input);
  return {
    get: ({ TableName = '', Key = {} }) =>
      make(`get ${label(Key)}`, () => ({ Item: tables.get(TableName, Key) }), true),
    putItem: (input) => make(`put ${label(input.Item)}`, () => tables.put(input), true),
    update: (input) => {
      const update = () => {
        const Attributes = tables.update(input);
        return { Attributes: input.ReturnValues === 'ALL_NEW' ? Attributes : undefined };
      };
      return make(`update ${label(input.Key)}`, update, true);
    },
    delete: (input) => make(`delete ${label(input.Key)}`, () => tables.delete(input), true),
    query,
    queryPages: (input) => pages(`query ${label(input.ExpressionAttributeValues)}`, input),
    scanPages: (input) => pages('scan', input),
    batchDelete: (TableName, keys) => {
      const remove = () => {
        for (const Key of keys) tables.delete({ TableName, Key });
        return [];
      };
      return make(`batchDelete of ${keys.length}`, remove, true);
    },
    batchGet: ({ TableName, Keys }) => {
      const find = () => ({
        Items: Keys.map((key) => tables.get(TableName, key)).filter((item) => item !== undefined),
        UnprocessedKeys: [],
      });
      return make(`batchGet ${Keys.map(label).join(', ')}`, find, true);
    },
    writeEach: (table, writes) => make(`writeEach of ${writes.length}`, () => tables.writeEach(table, writes), true),
    transactWrite: (items) => make(`transactWrite of ${items.length}`, () => tables.transactWrite(items), false),
  };
}

const label = (key: Values = {}) => [key.pk ?? key[':pk'], key.sk ?? key[':prefix']].filter(Boolean).join(' / ');

const text = (value: unknown) => (typeof value === 'string' ? value : '');
/** Sorts like the keys themselves: no key has a control character. */
const nameOf = ({ pk, sk }: Values): string => `${text(pk)}\u0000${text(sk)}`;
const keyIn = ({ pk, sk }: Values): Values => (sk === undefined ? { pk } : { pk, sk });

function projected(item: StoredItem, { ProjectionExpression }: Read): StoredItem {
  const names = ProjectionExpression?.split(', ');
  return names === undefined ? item : Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** Returns a value as DynamoDB returns it: without undefined members, and with objects for Maps. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  return plain(value instanceof Map ? Object.fromEntries(value) : value);
}
function plain(values: object): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) item[name] = plainValue(value);
  return item;
}

const meets = (existing: StoredItem | undefined, input: Conditional): boolean =>
  input.ConditionExpression === undefined || holds(input.ConditionExpression, input)(existing ?? {});

function check(existing: StoredItem | undefined, input: Conditional): void {
  if (!meets(existing, input))
    throw new ConditionFailed(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? (existing ?? {}) : {});
}

/** A part of an expression: reads a value from an item. */
type Part<Value> = (item: StoredItem, input: Expression) => Value;

const TOKEN = /\s*([#:]?\w+|<=|>=|<>|[(),.=<>+-])/y;

/** Reads an expression token by token. */
class Tokens {
  readonly #tokens: string[] = [];
  #next = 0;

  constructor(expression: string) {
    TOKEN.lastIndex = 0;
    let last = 0;
    for (let match = TOKEN.exec(expression); match !== null; match = TOKEN.exec(expression)) {
      this.#tokens.push(match[1] ?? '');
      last = TOKEN.lastIndex;
    }
    if (expression.slice(last).trim() !== '') throw new ValidationException(`The fake cannot read ${expression}`);
  }

  get peek(): string {
    return this.#tokens[this.#next] ?? '';
  }
  take(): string {
    this.#next += 1;
    return this.#tokens[this.#next - 1] ?? '';
  }
  /** Takes this token if it is the next one. */
  taken(token: string): boolean {
    if (this.peek !== token) return false;
    this.#next += 1;
    return true;
  }
  need(token: string): void {
    if (!this.taken(token)) throw new ValidationException(`The fake expects ${token} and found ${this.peek}`);
  }
}

function pathOf(tokens: Tokens): (input: Expression) => readonly string[] {
  const names = [tokens.take()];
  while (tokens.taken('.')) names.push(tokens.take());
  if (names.every((name) => !name.startsWith('#'))) return () => names;
  return ({ ExpressionAttributeNames = {} }) => names.map((name) => ExpressionAttributeNames[name] ?? name);
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const at = (item: StoredItem, path: readonly string[]): unknown => path.reduce<unknown>(memberOf, item);

function operand(tokens: Tokens): Part<unknown> {
  const token = tokens.peek;
  if (token.startsWith(':')) {
    tokens.take();
    return (_, { ExpressionAttributeValues = {} }) => ExpressionAttributeValues[token];
  }
  if (token === 'if_not_exists') {
    tokens.take();
    tokens.need('(');
    const path = pathOf(tokens);
    tokens.need(',');
    const otherwise = operand(tokens);
    tokens.need(')');
    return (item, input) => {
      const value = at(item, path(input));
      return value === undefined ? otherwise(item, input) : value;
    };
  }
  const path = pathOf(tokens);
  return (item, input) => at(item, path(input));
}

const isLess = (a: unknown, b: unknown): boolean =>
  (typeof a === 'number' && typeof b === 'number' && a < b) ||
  (typeof a === 'string' && typeof b === 'string' && a < b);

const COMPARISONS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '=': (a, b) => a !== undefined && a === b,
  '<>': (a, b) => a !== b,
  '<': isLess,
  '<=': (a, b) => isLess(a, b) || (a !== undefined && a === b),
  '>': (a, b) => isLess(b, a),
  '>=': (a, b) => isLess(b, a) || (a !== undefined && a === b),
};

function condition(tokens: Tokens): Part<boolean> {
  const parts = [conjunction(tokens)];
  while (tokens.taken('OR')) parts.push(conjunction(tokens));
  return parts.length === 1 && parts[0] ? parts[0] : (item, input) => parts.some((part) => part(item, input));
}
function conjunction(tokens: Tokens): Part<boolean> {
  const parts = [comparison(tokens)];
  while (tokens.taken('AND')) parts.push(comparison(tokens));
  return parts.length === 1 && parts[0] ? parts[0] : (item, input) => parts.every((part) => part(item, input));
}
function comparison(tokens: Tokens): Part<boolean> {
  if (tokens.taken('(')) {
    const inner = condition(tokens);
    tokens.need(')');
    return inner;
  }
  const name = tokens.peek;
  if (name === 'attribute_exists' || name === 'attribute_not_exists') {
    tokens.take();
    tokens.need('(');
    const path = pathOf(tokens);
    tokens.need(')');
    const wanted = name === 'attribute_exists';
    return (item, input) => (at(item, path(input)) !== undefined) === wanted;
  }
  if (tokens.taken('begins_with')) {
    tokens.need('(');
    const value = operand(tokens);
    tokens.need(',');
    const prefix = operand(tokens);
    tokens.need(')');
    return (item, input) => text(value(item, input)).startsWith(text(prefix(item, input)));
  }
  const left = operand(tokens);
  const operator = tokens.take();
  const right = operand(tokens);
  if (operator === 'BETWEEN') {
    tokens.need('AND');
    const most = operand(tokens);
    return (item, input) =>
      !isLess(left(item, input), right(item, input)) && !isLess(most(item, input), left(item, input));
  }
  const compare = COMPARISONS[operator];
  if (compare === undefined) throw new ValidationException(`The fake does not know ${operator}`);
  return (item, input) => compare(left(item, input), right(item, input));
}

const conditions = new Map<string, Part<boolean>>();

/** Returns a function that tells whether an item meets a condition. */
function holds(expression: string, input: Expression): (item: StoredItem) => boolean {
  let parsed = conditions.get(expression);
  if (parsed === undefined) {
    const tokens = new Tokens(expression);
    parsed = condition(tokens);
    if (tokens.peek !== '') throw new ValidationException(`The fake cannot read ${expression}`);
    conditions.set(expression, parsed);
  }
  const part = parsed;
  return (item) => part(item, input);
}

type Change = { readonly path: (input: Expression) => readonly string[]; readonly value: Part<unknown> };
const updates = new Map<string, readonly Change[]>();
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
const sum =
  (a: Part<unknown>, b: Part<unknown>): Part<unknown> =>
  (...of) =>
    numberOf(a(...of)) + numberOf(b(...of));

function changesIn(expression: string): readonly Change[] {
  const tokens = new Tokens(expression);
  const changes: Change[] = [];
  let action = '';
  while (tokens.peek !== '') {
    if (['SET', 'ADD', 'REMOVE'].includes(tokens.peek)) action = tokens.take();
    else tokens.need(',');
    const path = pathOf(tokens);
    if (action === 'REMOVE') changes.push({ path, value: () => undefined });
    else if (action === 'ADD') {
      changes.push({ path, value: sum((item, input) => at(item, path(input)), operand(tokens)) });
    } else {
      tokens.need('=');
      const first = operand(tokens);
      changes.push({ path, value: tokens.taken('+') ? sum(first, operand(tokens)) : first });
    }
  }
  return changes;
}

/** All values are those before the update. */
function updated(item: StoredItem, input: Update): StoredItem {
  const expression = input.UpdateExpression ?? '';
  let changes = updates.get(expression);
  if (changes === undefined) {
    changes = changesIn(expression);
    updates.set(expression, changes);
  }
  const next: Record<string, unknown> = { ...item };
  for (const { path, value } of changes) {
    const [first = '', second] = path(input);
    const set = plainValue(value(item, input));
    if (second !== undefined) {
      const parent = next[first];
      if (typeof parent !== 'object' || parent === null) throw new ValidationException(`There is no ${first}`);
      next[first] = plain({ ...parent, [second]: set });
    } else if (set === undefined) delete next[first];
    else next[first] = set;
  }
  return next;
}
