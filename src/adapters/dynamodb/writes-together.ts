import type { DynamoDb, WriteStatement } from './client.ts';
import { ITEM_VERSION } from './item-version.ts';

/** Limit of statements in one BatchExecuteStatement. */
const STATEMENTS_MAX = 25;

/** Bytes of values in one call. A write that is larger is made alone, so that others do not wait for its transfer. */
const BYTES_MAX = 512 * 1024;

/** Milliseconds that a write waits at most for the end of an earlier call, so that a call that hangs does not stop the others. */
const WAIT_MAX_MS = 50;

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

type Waiting = {
  readonly statement: WriteStatement;
  readonly bytes: number;
  /** Called with whether the shared call has made the write. The result ends when the write has ended. Never throws. */
  readonly settle: (made: boolean) => Promise<void>;
  readonly fail: (cause: unknown) => void;
};

/**
 * Combines the writes of messages that a function handles concurrently: those of one turn of the event loop, and those that begin during
 * a call. DynamoDB makes and bills each write separately, and one that fails does not affect the others.
 */
export function writesTogether(client: Pick<DynamoDb, 'writeEach'>, table: string): WritesTogether {
  let waiting: readonly Waiting[] = [];
  let running = false;

  /** Never throws. */
  const call = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const made = batch.length === 1 ? [false] : await client.writeEach(batch.map(({ statement }) => statement));
      await Promise.all(batch.map(({ settle }, index) => settle(made[index] ?? false)));
    } catch (cause) {
      for (const { fail } of batch) fail(cause);
    }
  };
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const count = countThatFits(waiting);
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      await ended(call(batch), WAIT_MAX_MS);
    }
    running = false;
  };
  const together = <Result>(statement: WriteStatement, done: Result, alone: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const settle = async (made: boolean) => {
        if (made) resolve(done);
        else await alone().then(resolve, reject);
      };
      waiting = [...waiting, { statement, bytes: bytesOf(statement), settle, fail: reject }];
      if (!running) setImmediate(run);
      running = true;
    });

  return {
    insert: (item, done, alone) => {
      const entries = present({ v: ITEM_VERSION, ...item });
      const text = `INSERT INTO "${table}" VALUE {${entries.map(([name]) => `'${name}': ?`).join(', ')}}`;
      return together({ text, parameters: entries.map(([, value]) => value) }, done, alone);
    },
    update: ({ key, set, when }, done, alone) => {
      const changes = present(set);
      const conditions = [...present(key), ...present(when)];
      const text =
        `UPDATE "${table}" SET ${changes.map(([name]) => `"${name}" = ?`).join(', ')} ` +
        `WHERE ${conditions.map(([name]) => `"${name}" = ?`).join(' AND ')}`;
      return together({ text, parameters: [...changes, ...conditions].map(([, value]) => value) }, done, alone);
    },
  };
}

const present = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).filter(([, value]) => value !== undefined);

/** Returns how many of the first writes go into one call, at least one. */
function countThatFits(waiting: readonly Waiting[]): number {
  let [count, bytes] = [0, 0];
  for (const write of waiting.slice(0, STATEMENTS_MAX)) {
    bytes += write.bytes;
    if (count > 0 && bytes > BYTES_MAX) break;
    count += 1;
  }
  return count;
}

/** Returns about how many bytes the values of a statement have: texts and bytes are the only large ones. */
const bytesOf = ({ parameters }: WriteStatement): number =>
  parameters.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );

/** Resolves when the work has ended, at the latest after so many milliseconds. */
function ended(work: Promise<void>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
