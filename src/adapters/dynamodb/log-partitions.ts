import { createHash } from 'node:crypto';

/** The ends of the keys over which the records of one Action are spread: the first digit of the hash of their reference. */
const SPREAD = [...'0123456789abcdef'];

/** Returns the one partition key of an Action's log, or of the usage log of a site. */
const onePartition = (logId: string) => `ACTION#${logId}`;

const spreadPartition = (logId: string, digit: string) => `${onePartition(logId)}#${digit}`;

/**
 * Returns the partition key of a record. DynamoDB accepts 1 000 write units a second for one key, and it cannot split a key whose newest
 * records are written. Spread records have a key by the hash of their reference, so all attempts of an event share one.
 */
export function partitionOf({ action_id, reference, spread = false }: RecordPlace): string {
  if (!spread) return onePartition(action_id);
  return spreadPartition(action_id, createHash('sha256').update(reference).digest('hex').charAt(0));
}
type RecordPlace = { readonly action_id: string; readonly reference: string; readonly spread?: boolean };

/** Returns the two partition keys that the records of one reference may have. */
export const partitionsOfReference = (action_id: string, reference: string): readonly string[] =>
  [false, true].map((spread) => partitionOf({ action_id, reference, spread }));

/** The partition keys that the records of a log may have. */
export const logPartitions = (logId: string) => ({
  one: onePartition(logId),
  spread: SPREAD.map((digit) => spreadPartition(logId, digit)),
});
