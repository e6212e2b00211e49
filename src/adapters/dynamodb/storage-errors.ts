import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../../domain/service-error.ts';

/** Thrown when a write was not made because its condition did not hold. */
export class ConditionFailed extends ServiceError {
  override readonly name = 'ConditionFailed';
  // Private, because a logger writes out public fields.
  readonly #item: Readonly<Record<string, unknown>>;

  /** @param item the existing item, if the write asked for it */
  constructor(item: Readonly<Record<string, unknown>> = {}) {
    super('The condition of a write did not hold');
    this.#item = item;
  }

  get item(): Readonly<Record<string, unknown>> {
    return this.#item;
  }
}

/** Thrown when a transaction was not made. */
export class TransactionCancelled extends ServiceError {
  override readonly name = 'TransactionCancelled';
  /** DynamoDB's reason for each write, by position. `None` means that the write is not the cause. */
  readonly codes: readonly string[];

  constructor(codes: readonly string[]) {
    super(`A transaction was cancelled: ${codes.join(', ')}`);
    this.codes = codes;
  }
}

/** Waits for a conditional write. Returns true when it was made, false when its condition did not hold. */
export async function whenConditionHolds(write: Promise<unknown>): Promise<boolean> {
  const failed = await conditionFailure(write);
  return failed === undefined;
}

/**
 * Waits for a conditional write that asks for ALL_OLD on failure. Returns undefined when it was made, otherwise the existing item.
 *
 * The client repeats a write whose response was lost, and the repeated write meets the item of the first one. So a caller that must know
 * whether its write was made looks in the item for something that only this write has stored. Transactions need no such check: DynamoDB
 * recognizes the client's token.
 */
export async function conditionFailure(
  write: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return error.item;
  }
}

/** Repetitions of a transaction that conflicts with others. The pauses between them add up to 2.5 seconds on average. */
const CONFLICT_RETRIES = 8;

/**
 * Runs a transaction, and runs it again when it conflicts with another transaction on the same items. Returns the positions of the
 * writes whose conditions did not hold; none when the transaction was made.
 */
export async function transactionFailures(run: () => Promise<unknown>): Promise<readonly number[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run();
      return [];
    } catch (error) {
      if (!(error instanceof TransactionCancelled)) throw error;
      const { codes } = error;
      const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
      if (failed.length > 0) return failed;
      if (!codes.includes('TransactionConflict') || attempt === CONFLICT_RETRIES) throw error;
      await backOff(attempt + 1);
    }
  }
}

/** DynamoDB's names of a request that it refuses because a table, an index or one of its keys has too many. */
const THROTTLED: readonly string[] = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
];

/** Thrown when DynamoDB has not processed a part of a call after several calls. */
export class NotProcessed extends ServiceError {
  override readonly name = 'NotProcessed';
}

/** Returns whether DynamoDB refused a call because of its rate. The client has then already repeated it for a second. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof NotProcessed || (error instanceof DynamoDBServiceException && THROTTLED.includes(error.name));

/** Waits before a call is repeated: a random part of 20 ms after the first attempt, doubled with each, up to 2.5 s. Not before the first. */
export async function backOff(attempt: number): Promise<void> {
  if (attempt === 0) return;
  await new Promise((resolve) => setTimeout(resolve, 2 ** Math.min(attempt, 8) * 10 * Math.random()));
}
