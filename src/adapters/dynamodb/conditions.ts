import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Runs a conditional write: true when it was made, false when its condition did not hold. */
export async function whenConditionHolds(write: Promise<unknown>): Promise<boolean> {
  const failed = await conditionFailure(write);
  return failed === undefined;
}

/**
 * Runs a conditional write that asks for ALL_OLD on failure. Answers undefined when it was made, else the item that stood in
 * the way, which the document client leaves in wire form.
 */
export async function conditionFailure(write: Promise<unknown>): Promise<Record<string, unknown> | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return error.Item === undefined ? {} : unmarshall(error.Item satisfies Record<string, AttributeValue>);
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
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code);
      const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
      if (failed.length > 0) return failed;
      if (!codes.includes('TransactionConflict') || attempt === CONFLICT_RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 10 * Math.random()));
    }
  }
}
