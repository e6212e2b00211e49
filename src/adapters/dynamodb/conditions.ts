import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isServiceError } from '../aws/service-error.ts';

/** Runs a conditional write: true when it was made, false when its condition did not hold. */
export async function whenConditionHolds(write: Promise<unknown>): Promise<boolean> {
  const failed = await conditionFailure(write);
  return failed === undefined;
}

/**
 * Runs a conditional write that asks for ALL_OLD on failure. Answers undefined when it was made, else the item that stood in
 * the way.
 */
export async function conditionFailure(write: Promise<unknown>): Promise<Record<string, unknown> | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (!isServiceError(error, 'ConditionalCheckFailedException')) throw error;
    const { Item } = error.details;
    return Item === undefined ? {} : unmarshall(Item as Record<string, AttributeValue>);
  }
}

const CONFLICT_RETRIES = 8;

/**
 * Runs a transaction, again when another one was under way on the same items. Answers the positions whose conditions did not
 * hold; none when it was made.
 */
export async function transactionFailures(run: () => Promise<unknown>): Promise<readonly number[]> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run();
      return [];
    } catch (error) {
      if (!isServiceError(error, 'TransactionCanceledException')) throw error;
      const { CancellationReasons = [] } = error.details as { CancellationReasons?: readonly { Code?: string }[] };
      const codes = CancellationReasons.map((reason) => reason.Code);
      const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
      if (failed.length > 0) return failed;
      if (!codes.includes('TransactionConflict') || attempt === CONFLICT_RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 10 * Math.random()));
    }
  }
}
