import { batchesOf } from '../batches.ts';
import { together } from '../together.ts';
import type { DynamoDb, WriteStatement } from './client.ts';
import { ITEM_VERSION } from './item-version.ts';

/** Statements in one BatchExecuteStatement, and bytes of their values. A larger write is alone, so that others do not wait for it. */
const CALL = { entries: 25, bytes: 512 * 1024 };

/**
 * Conditional writes that may share a call. `alone` makes the same write in a separate call. It runs when there is no other write to
 * share a call with, and when the shared call has not made this write, because its result says why.
 */
export type WritesTogether = {
  /** Puts an item if its key is free. @returns `done`, or the result of `alone` */
  readonly insert: <Result>(
    item: Readonly<Record<string, unknown>>,
    done: Result,
    alone: () => Promise<Result>,
  ) => Promise<Result>;
  /** Sets attributes of an existing item if other attributes have these values. @returns `done`, or the result of `alone` */
  readonly update: <Result>(
    write: {
      readonly key: Readonly<Record<string, unknown>>;
      readonly set: Readonly<Record<string, unknown>>;
      readonly when: Readonly<Record<string, unknown>>;
    },
    done: Result,
    alone: () => Promise<Result>,
  ) => Promise<Result>;
};

/** Makes each write in a separate call. */
export const EACH_ALONE: WritesTogether = {
  insert: (_item, _done, alone) => alone(),
  update: (_write, _done, alone) => alone(),
};

/**
 * Combines the writes of one turn of the event loop. DynamoDB makes and bills each write separately, and one that fails does not affect
 * the others. A call that fails fails its writes, and no others.
 */
export function writesTogether(client: Pick<DynamoDb, 'writeEach'>, table: string): WritesTogether {
  /** Resolves to whether a shared call has made the write. */
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
  const write = async <Result>(
    text: string,
    parameters: readonly unknown[],
    done: Result,
    alone: () => Promise<Result>,
  ) => ((await shared({ text, parameters })) ? done : alone());

  return {
    insert: (item, done, alone) => {
      const entries = present({ v: ITEM_VERSION, ...item });
      const text = `INSERT INTO "${table}" VALUE {${entries.map(([name]) => `'${name}': ?`).join(', ')}}`;
      return write(
        text,
        entries.map(([, value]) => value),
        done,
        alone,
      );
    },
    update: ({ key, set, when }, done, alone) => {
      const changes = present(set);
      const conditions = [...present(key), ...present(when)];
      const text =
        `UPDATE "${table}" SET ${changes.map(([name]) => `"${name}" = ?`).join(', ')} ` +
        `WHERE ${conditions.map(([name]) => `"${name}" = ?`).join(' AND ')}`;
      return write(
        text,
        [...changes, ...conditions].map(([, value]) => value),
        done,
        alone,
      );
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
