import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { FailurePeriod, WatchEndpointPorts } from '../../domain/delivery/failing-endpoint.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './conditions.ts';
import { logPartitions } from './log-partitions.ts';
import { itemReader, readKey } from './stored-item.ts';

/** A failure period ends when no delivery has failed for this many seconds. */
const FAILURE_PERIOD_SECONDS = 48 * 3600;
/** The log is sorted by the time of the event. An attempt may begin this many seconds later. */
const QUEUED_SECONDS = 600;
/** Records that one search reads, from all keys of the log together. A failed delivery writes only three, so the searches catch up. */
const LOOK_RECORDS = 100;

const readFailurePeriod = itemReader(
  z.object({
    /** Unix seconds. */
    failing_since: z.number(),
    /** Unix seconds. */
    signalled_at: z.number().optional(),
    /** Id of the latest claim of the signal. */
    signal_id: z.string().optional(),
    /** Sort key up to which all keys of the log were searched without finding a success. */
    looked_to: z.string().optional(),
  }),
);
const readPartition = itemReader(z.object({ pk: z.string() }));

const keyOf = (actionId: string) => ({ pk: `failing#${actionId}` });

/** Stores since when the deliveries of an Action fail, in one item of the counters table. Only failures write it. */
export function failurePeriods(
  client: DynamoDb,
  tables: { readonly counters: string; readonly deliveryLog: string },
): Pick<WatchEndpointPorts, 'recordFailure' | 'lookForSuccess' | 'restartFailurePeriod' | 'claimSignal'> {
  const TableName = tables.counters;
  const asSeen = ({ since, signalled_at }: FailurePeriod) => ({
    ConditionExpression: `failing_since = :since AND ${
      signalled_at === null ? 'attribute_not_exists(signalled_at)' : 'signalled_at = :seen'
    }`,
    values: { ':since': since, ...(signalled_at === null ? {} : { ':seen': signalled_at }) },
  });

  return {
    recordFailure: async (actionId, now) => {
      const seconds = unixSeconds(now);
      const times = { ':now': seconds, ':expires': seconds + FAILURE_PERIOD_SECONDS };
      let period: FailurePeriod = { since: seconds, signalled_at: null, looked_to: null };
      const expired = await conditionFailure(
        client
          .update({
            TableName,
            Key: keyOf(actionId),
            UpdateExpression: 'SET failing_since = if_not_exists(failing_since, :now), expires_at = :expires',
            // DynamoDB may delete expired items late.
            ConditionExpression: 'attribute_not_exists(pk) OR expires_at > :now',
            ExpressionAttributeValues: times,
            ReturnValues: 'ALL_NEW',
          })
          .then(({ Attributes }) => {
            const { failing_since, signalled_at, looked_to } = readFailurePeriod(TableName, Attributes ?? {});
            period = { since: failing_since, signalled_at: signalled_at ?? null, looked_to: looked_to ?? null };
          }),
      );
      if (expired !== undefined) {
        await client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET failing_since = :now, expires_at = :expires REMOVE signalled_at, looked_to',
          ExpressionAttributeValues: times,
        });
      }
      return period;
    },

    lookForSuccess: async (actionId, { looked_to }, since) => {
      const from = new Date((since - QUEUED_SECONDS) * 1000).toISOString();
      const partitions = logPartitions(actionId);
      const search = (pk: string) =>
        client.query({
          TableName: tables.deliveryLog,
          KeyConditionExpression: 'pk = :pk AND sk > :from',
          FilterExpression: 'record_state = :succeeded AND #record.started_at >= :since',
          ProjectionExpression: 'pk, v',
          ExpressionAttributeNames: { '#record': 'record' },
          ExpressionAttributeValues: {
            ':pk': pk,
            ':from': looked_to ?? from,
            ':since': new Date(since * 1000).toISOString(),
            ':succeeded': 'succeeded',
          },
          Limit: Math.ceil(LOOK_RECORDS / partitions.length),
        });
      const pages = await Promise.all(partitions.map(search));
      const found = pages.flatMap(({ Items }) => Items.map((item) => readPartition(tables.deliveryLog, item)));
      if (found.length > 0) return 'found';
      // The next search begins where the first of the unfinished keys ended, so no record of any key is left out.
      const [to] = pages
        .flatMap(({ LastEvaluatedKey }) =>
          LastEvaluatedKey === undefined ? [] : [readKey(tables.deliveryLog, LastEvaluatedKey).sk],
        )
        .sort();
      if (to === undefined) return 'none';
      // The condition fails when another delivery has searched further or restarted the period in the meantime.
      await whenConditionHolds(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET looked_to = :to',
          ConditionExpression: looked_to === null ? 'attribute_not_exists(looked_to)' : 'looked_to = :seen',
          ExpressionAttributeValues: {
            ':to': to,
            ...(looked_to === null ? {} : { ':seen': looked_to }),
          },
        }),
      );
      return 'unfinished';
    },

    restartFailurePeriod: (actionId, seen, now) => {
      const { ConditionExpression, values } = asSeen(seen);
      return whenConditionHolds(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET failing_since = :now REMOVE signalled_at, looked_to',
          ConditionExpression,
          ExpressionAttributeValues: { ...values, ':now': unixSeconds(now) },
        }),
      );
    },

    claimSignal: async (actionId, seen, now) => {
      const { ConditionExpression, values } = asSeen(seen);
      const signal_id = randomUUID();
      const blocking = await conditionFailure(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET signalled_at = :now, signal_id = :id REMOVE looked_to',
          ConditionExpression,
          ExpressionAttributeValues: { ...values, ':now': unixSeconds(now), ':id': signal_id },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        (existing) => readFailurePeriod(TableName, existing).signal_id === signal_id,
      );
      return blocking === undefined;
    },
  };
}
