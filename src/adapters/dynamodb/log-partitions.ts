import { createHash } from 'node:crypto';

/** The ends of the keys over which the records of one log are spread: the first digit of the hash of their reference. */
const DIGITS = [...'0123456789abcdef'];

const partition = (logId: string, digit: string) => `ACTION#${logId}#${digit}`;

/**
 * Returns the partition key of a record. DynamoDB accepts 1 000 write units a second for one key, and it cannot split a key whose newest
 * records are written. All attempts of an event have one key.
 * @param logId id of the Action, or of the usage log of a site
 */
export const partitionOf = (logId: string, reference: string): string =>
  partition(logId, createHash('sha256').update(reference).digest('hex').charAt(0));

/** Lists the partition keys of a log. */
export const logPartitions = (logId: string): readonly string[] => DIGITS.map((digit) => partition(logId, digit));

/** Returns the log of a partition key. */
export const logOf = (pk: string): string => pk.slice('ACTION#'.length, -'#0'.length);
