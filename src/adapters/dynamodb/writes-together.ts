import { batchesOf } from '../batches.ts';
import { together } from '../together.ts';
import type { DynamoDb, WriteStatement } from './client.ts';
import { ITEM_VERSION } from './stored-item.ts';

/** Statements in one BatchExecuteStatement, and bytes of their values. A larger write is alone, so that others do not wait for it. */
const CALL = { entries: 25, bytes: 512 * 1024 };

/** An update of an existing item that is made if attributes of it have the values of `when`. */
export type ConditionalUpdate = {
  readonly key: Readonly<Record<string, unknown>>;
  readonly set: Readonly<Record<string, unknown>>;
  readonly when: Readonly<Record<string, unknown>>;
};

/**
 * Makes conditional writes that share a call. Each resolves to whether the shared call has made the write. If not, the caller makes
 * it alone: there was no other write to share a call with, or the result of the single write says why it cannot be made.
 */
export type WritesTogether = {
  /** Puts an item if its key is free. */
  readonly insert: (item: Readonly<Record<string, unknown>>) => Promise<boolean>;
  readonly update: (write: ConditionalUpdate) => Promise<boolean>;
};

/**
 * Combines the writes of one turn of the event loop. DynamoDB makes and bills each write separately, and one that fails does not affect
 * the others. A call that fails fails its writes, and no others.
 */
export function writesTogether(client: Pick<DynamoDb, 'writeEach'>, table: string): WritesTogether {
  const shared = together((statements: readonly WriteStatement[]) =>
    batchesOf(
      statements.map((statement) => ({ statement, bytes: bytesOf(statement) })),
      CALL,
    ).flatMap((batch): readonly Promise<boolean>[] => {
      if (batch.length === 1) return [Promise.resolve(false)];
      const made = client.writeEach(batch.map(({ statement }) => statement));
      return batch.map(async (_, index) => (await made)[index] === true);
    }),
  );
  return {
    insert: (item) => {
      const entries = present({ v: ITEM_VERSION, ...item });
      return shared({
        text: `INSERT INTO "${table}" VALUE {${entries.map(([name]) => `'${name}': ?`).join(', ')}}`,
        parameters: entries.map(([, value]) => value),
      });
    },
    update: ({ key, set, when }) => {
      const changes = present(set);
      const conditions = [...present(key), ...present(when)];
      return shared({
        text:
          `UPDATE "${table}" SET ${changes.map(([name]) => `"${name}" = ?`).join(', ')} ` +
          `WHERE ${conditions.map(([name]) => `"${name}" = ?`).join(' AND ')}`,
        parameters: [...changes, ...conditions].map(([, value]) => value),
      });
    },
  };
}

const present = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).filter(([, value]) => value !== undefined);

/** Returns about how many bytes the values of a statement have: texts and bytes are the only large ones. */
const bytesOf = ({ parameters }: WriteStatement): number =>
  parameters.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );
