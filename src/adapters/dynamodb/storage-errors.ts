import { DynamoDBServiceException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
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

/** Waits for a conditional write. Returns true when it was made, false when its condition did not hold. */
export async function whenConditionHolds(write: Promise<unknown>): Promise<boolean> {
  return (await conditionFailure(write)) === undefined;
}

/**
 * Waits for a conditional write that asks for ALL_OLD on failure. Returns undefined when it was made, otherwise the existing item.
 *
 * The client repeats a write whose response was lost, and the repeated write meets the item of the first one. So a caller that must know
 * whether its write was made looks in the item for something that only this write has stored. The client's repetition of a transaction needs
 * no such check, because DynamoDB recognizes its token; one by `transactionFailures` has a token of its own.
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

/**
 * DynamoDB's codes for a part of a call that it did not process for reasons of its own. The client repeats calls that end so, but neither a
 * transaction nor a statement of a batch.
 */
export const NOT_PROCESSED: ReadonlySet<string> = new Set([
  'InternalServerError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'TransactionConflict',
]);

/** Repetitions of a transaction that DynamoDB did not process. The pauses between them add up to 2.5 seconds on average. */
const TRANSACTION_RETRIES = 8;

/**
 * Sends a transaction, and sends it again when it conflicts with another write of the same items, or is throttled. Returns the positions of
 * the writes whose conditions did not hold; none when the transaction was made. @throws ServiceError, and the client's errors
 */
export async function transactionFailures(send: () => Promise<unknown>): Promise<readonly number[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      await send();
      return [];
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => String(Code));
      const refusedPositions = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
      if (refusedPositions.length > 0) return refusedPositions;
      const canBeRepeated = codes.some((code) => NOT_PROCESSED.has(code)) && attempt < TRANSACTION_RETRIES;
      // Not the client's own error, because a logger would write out the items in it. `None` is the code of a write that is not the cause.
      if (!canBeRepeated) throw new ServiceError(`A transaction was cancelled: ${codes.join(', ')}`);
      await backOff(attempt + 1);
    }
  }
}

/** DynamoDB's names of a request that it refuses because a table, an index or one of its keys has too many. */
const THROTTLED = /^(?:ProvisionedThroughputExceededException|ThrottlingException|RequestLimitExceeded)$/;

/** Thrown when DynamoDB has not processed a part of a call after several calls. */
export class NotProcessed extends ServiceError {
  override readonly name = 'NotProcessed';
}

/** Returns whether DynamoDB refused a call because of its rate. The client has then already repeated it for a second. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof NotProcessed || (error instanceof DynamoDBServiceException && THROTTLED.test(error.name));

/** Waits before a call is repeated: a random part of 20 ms after the first attempt, doubled with each, up to 2.5 s. Not before the first. */
export async function backOff(attempt: number): Promise<void> {
  if (attempt === 0) return;
  await new Promise((resolve) => setTimeout(resolve, 2 ** Math.min(attempt, 8) * 10 * Math.random()));
}
