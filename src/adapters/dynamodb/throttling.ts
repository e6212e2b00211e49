import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';

/** DynamoDB's names of a request that it refuses because a table, an index or one of its keys has too many. */
const NAMES: readonly string[] = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
];

/** Thrown when DynamoDB has not processed a part of a call after several calls. */
export class NotProcessed extends Error {
  override readonly name = 'NotProcessed';
}

/** Returns whether DynamoDB refused a call because of its rate. The client has then already repeated it for a second. */
export const isThrottled = (error: unknown): boolean =>
  error instanceof NotProcessed || (error instanceof DynamoDBServiceException && NAMES.includes(error.name));

/** Waits before a call is repeated: a random part of 20 ms after the first attempt, doubled with each, up to 2.5 s. Not before the first. */
export async function backOff(attempt: number): Promise<void> {
  if (attempt === 0) return;
  await new Promise((resolve) => setTimeout(resolve, 2 ** Math.min(attempt, 8) * 10 * Math.random()));
}
