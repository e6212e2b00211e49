import { ServiceError } from '../../domain/service-error.ts';
import { batchesOf, inBatches } from '../batching.ts';
import type { BatchedWrite, DynamoDb, StoredItem } from './client.ts';
import { backOff, NOT_PROCESSED, NotProcessed } from './storage-errors.ts';

type Key = Readonly<Record<string, unknown>>;

const KEYS_AT_ONCE = 100;
/** Limit of statements in one BatchExecuteStatement, and of the bytes of their values. A larger write is alone, so that others do not wait for it. */
const WRITES_AT_ONCE = { entries: 25, bytes: 512 * 1024 };
/** Number of calls, with growing pauses, in which DynamoDB must have processed all parts of the first one. */
const CALLS_MAX = 4;

/** The condition of a write did not hold, or the key of an insert is taken. */
const REFUSED: ReadonlySet<string> = new Set(['ConditionalCheckFailed', 'DuplicateItem']);

/**
 * Creates the read of an item by its key, strongly consistently. The reads of one turn of the event loop share calls. Each ends with the call
 * that read its key, and fails only when a call fails that should have read it, or when four calls have not read it.
 * @returns a function that returns undefined when there is no item
 */
export const batchedReads = (
  client: Pick<DynamoDb, 'batchGet'>,
  table: string,
): ((key: Key) => Promise<StoredItem | undefined>) =>
  inBatches(
    (keys: readonly Key[]) =>
      inCalls(keys, async (keysLeft) => {
        const { Items, UnprocessedKeys } = await client.batchGet({ TableName: table, Keys: keysLeft });
        const items = new Map(Items.map((item) => [nameOf(item), item]));
        const unread = new Set(UnprocessedKeys.map(nameOf));
        return keysLeft.filter((key) => !unread.has(nameOf(key))).map((key) => [key, items.get(nameOf(key))]);
      }),
    { nameOf, atMost: KEYS_AT_ONCE },
  );

/**
 * Creates the write of an item. The writes of one turn of the event loop share calls. DynamoDB makes and bills each separately, and one that
 * fails does not affect the others. A call that fails fails its writes, and no others.
 * @returns a function that returns false when the condition did not hold, or the key of the insert is taken
 */
export function batchedWrites(client: Pick<DynamoDb, 'writeEach'>, table: string) {
  const codeOf = inBatches((writes: readonly BatchedWrite[]) => {
    // DynamoDB refuses a call in which two writes have the same key, so batchesOf puts them into different calls.
    const entries = writes.map((write) => ({ write, key: nameOf(keyOf(write)), bytes: bytesOf(write) }));
    return batchesOf(entries, WRITES_AT_ONCE).flatMap((batch) =>
      inCalls(
        batch.map(({ write }) => write),
        async (writesLeft) => {
          const codes = await client.writeEach(table, writesLeft);
          return writesLeft
            .map((write, index) => [write, codes[index]] as const)
            .filter(([, code = '']) => !NOT_PROCESSED.has(code));
        },
      ),
    );
  });
  return async (write: BatchedWrite): Promise<boolean> => {
    const code = await codeOf(write);
    if (code !== undefined && !REFUSED.has(code)) throw new ServiceError(`DynamoDB did not make a write: ${code}`);
    return code === undefined;
  };
}

/**
 * Makes calls until each part has its result.
 * @param call returns the results of the parts that DynamoDB has processed; the next call gets the others
 * @returns for each part the promise of its result. It fails when a call fails that had the part, or when no call has processed it
 */
function inCalls<Part, Result>(
  parts: readonly Part[],
  call: (left: readonly Part[]) => Promise<readonly (readonly [Part, Result])[]>,
): readonly Promise<Result>[] {
  const unprocessedParts = new Map(parts.map((part) => [part, Promise.withResolvers<Result>()]));
  const results = [...unprocessedParts.values()].map(({ promise }) => promise);
  const run = async () => {
    for (let callsMade = 0; unprocessedParts.size > 0; callsMade++) {
      if (callsMade === CALLS_MAX)
        throw new NotProcessed(`DynamoDB did not process ${unprocessedParts.size} parts of a call`);
      await backOff(callsMade);
      for (const [part, result] of await call([...unprocessedParts.keys()])) {
        unprocessedParts.get(part)?.resolve(result);
        unprocessedParts.delete(part);
      }
    }
  };
  run().catch((cause: unknown) => {
    for (const { reject } of unprocessedParts.values()) reject(cause);
  });
  return results;
}

const keyOf = (write: BatchedWrite): Key => ('insert' in write ? write.insert : write.key);
const nameOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

/** Returns about how many bytes the values of a write have: texts and bytes are the only large ones. */
const bytesOf = (write: BatchedWrite): number =>
  Object.values('insert' in write ? write.insert : write.changes).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );
