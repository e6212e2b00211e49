import * as z from 'zod';
import type { FailurePeriods } from '../../domain/context.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { logPartitions } from './delivery-records.ts';
import { ConditionFailed, whenConditionHolds } from './storage-errors.ts';
import { itemReader } from './stored-items.ts';

/** A failure period ends when no delivery has failed for this many seconds, because a success is not written here. */
const FAILURE_PERIOD_SECONDS = 48 * 3600;
/** A search for a success looks at this many moments of a period, and at each of them into this many of the log's keys. */
const SAMPLES = 10;

/** All times are in Unix seconds. */
const readFailurePeriod = itemReader(z.object({ failing_since: z.number(), signalled_at: z.number().nullable() }));
const readPartition = itemReader(z.object({ pk: z.string() }));

/** Stores since when the deliveries of an Action fail, in one item of the counters table. Only failures write it. */
export function failurePeriods(
  client: DynamoDb,
  tables: { readonly counters: string; readonly deliveryLog: string },
): FailurePeriods {
  const itemOf = (actionId: string) => ({ TableName: tables.counters, Key: { pk: `failing#${actionId}` } });

  return {
    replacePeriod: (actionId, period, { since, signalled_at }) =>
      whenConditionHolds(
        client.update({
          ...itemOf(actionId),
          UpdateExpression: 'SET failing_since = :since, signalled_at = :signalled',
          ConditionExpression: 'failing_since = :seen AND signalled_at = :before',
          ExpressionAttributeValues: {
            ':since': since,
            ':signalled': signalled_at,
            ':seen': period.since,
            ':before': period.signalled_at,
          },
        }),
      ),

    recordFailure: async (actionId, now) => {
      const seconds = unixSeconds(now);
      const failure = { ':now': seconds, ':never': null, ':expires': seconds + FAILURE_PERIOD_SECONDS };
      try {
        const { Attributes } = await client.update({
          ...itemOf(actionId),
          UpdateExpression:
            'SET failing_since = if_not_exists(failing_since, :now), signalled_at = if_not_exists(signalled_at, :never), failed_at = :now, expires_at = :expires',
          // DynamoDB may delete an expired item late.
          ConditionExpression: 'attribute_not_exists(failed_at) OR failed_at > :ended',
          ExpressionAttributeValues: { ...failure, ':ended': seconds - FAILURE_PERIOD_SECONDS },
          ReturnValues: 'ALL_NEW',
        });
        const { failing_since, signalled_at } = readFailurePeriod(tables.counters, Attributes ?? {});
        return { since: failing_since, signalled_at };
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
      }
      // Failures at once may each begin the same period.
      await client.update({
        ...itemOf(actionId),
        UpdateExpression: 'SET failing_since = :now, signalled_at = :never, failed_at = :now, expires_at = :expires',
        ExpressionAttributeValues: failure,
      });
      return { since: seconds, signalled_at: null };
    },

    hasSucceeded: async (actionId, since, now) => {
      const partitions = logPartitions(actionId);
      /** Reads the first record after a part of the period, from 0 (its beginning) to 1 (now), under one key of the log, if it is a success. */
      const successAfter = (part: number, pk: string | undefined) =>
        client.query({
          TableName: tables.deliveryLog,
          KeyConditionExpression: 'pk = :pk AND sk >= :moment',
          FilterExpression: 'record_state = :succeeded',
          ProjectionExpression: 'pk, v',
          ExpressionAttributeValues: {
            ':pk': pk,
            ':moment': new Date((since + part * (unixSeconds(now) - since)) * 1000).toISOString(),
            ':succeeded': 'succeeded',
          },
          Limit: 1,
        });
      const pages = await Promise.all(
        Array.from({ length: SAMPLES ** 2 }, (_, sample) =>
          successAfter(Math.floor(sample / SAMPLES) / SAMPLES, partitions[sample % partitions.length]),
        ),
      );
      // Each item is read, because one that newer code wrote is an error.
      return pages.flatMap(({ Items }) => Items.map((item) => readPartition(tables.deliveryLog, item))).length > 0;
    },
  };
}
