import { batchesOf } from '../batches.ts';
import { together } from '../together.ts';
import type { DynamoDb, SharedWrite } from './client.ts';

/** Statements in one BatchExecuteStatement, and bytes of their values. A larger write is alone, so that others do not wait for it. */
const CALL = { entries: 25, bytes: 512 * 1024 };

/**
 * Makes a write in a shared call. Resolves to whether the call has made the write. If not, the caller makes it alone: there was no other
 * write to share a call with, or the result of the single write says why it cannot be made.
 */
export type WritesTogether = (write: SharedWrite) => Promise<boolean>;

/**
 * Combines the writes of one turn of the event loop. DynamoDB makes and bills each write separately, and one that fails does not affect
 * the others. A call that fails fails its writes, and no others.
 */
export function writesTogether(client: Pick<DynamoDb, 'writeEach'>, table: string): WritesTogether {
  return together((writes: readonly SharedWrite[]) =>
    batchesOf(
      writes.map((write) => ({ write, bytes: bytesOf(write) })),
      CALL,
    ).flatMap((batch): readonly Promise<boolean>[] => {
      if (batch.length === 1) return [Promise.resolve(false)];
      const made = client.writeEach(
        table,
        batch.map(({ write }) => write),
      );
      return batch.map(async (_, index) => (await made)[index] === true);
    }),
  );
}

/** Returns about how many bytes the values of a write have: texts and bytes are the only large ones. */
const bytesOf = (write: SharedWrite): number =>
  Object.values('insert' in write ? write.insert : write.set).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );
