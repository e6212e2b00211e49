import * as z from 'zod';
import type { FailurePeriod, WatchEndpointPorts } from '../../domain/delivery/failing-endpoint.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './conditions.ts';
import { logPartition } from './delivery-log.ts';
import { itemReader, readKey } from './stored-item.ts';

/** A period ends when no delivery failed for so long, in seconds. */
const FAILURE_PERIOD_SECONDS = 48 * 3600;
/** The log is sorted by the events' time; an attempt may begin so much later, in seconds. */
const QUEUED_SECONDS = 600;
/** Records that one look reads: more than a delivery that fails for good writes (three), so that the looks catch up with the log. */
const LOOK_RECORDS = 100;

const readFailurePeriod = itemReader(
  z.object({
    /** Unix seconds, as the next. */
    failing_since: z.number(),
    signalled_at: z.number().optional(),
    /** The sort key of the log up to which no success was found. */
    looked_to: z.string().optional(),
  }),
);
const readPartition = itemReader(z.object({ pk: z.string() }));

const keyOf = (actionId: string) => ({ pk: `failing#${actionId}` });

/** Since when the deliveries of an Action fail: one item of the counters table, written by failures only. */
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
            // DynamoDB deletes expired items late.
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
      const { Items, LastEvaluatedKey } = await client.query({
        TableName: tables.deliveryLog,
        KeyConditionExpression: 'pk = :pk AND sk > :from',
        FilterExpression: 'record_state = :succeeded AND #record.started_at >= :since',
        ProjectionExpression: 'pk, v',
        ExpressionAttributeNames: { '#record': 'record' },
        ExpressionAttributeValues: {
          ':pk': logPartition(actionId),
          ':from': looked_to ?? from,
          ':since': new Date(since * 1000).toISOString(),
          ':succeeded': 'succeeded',
        },
        Limit: LOOK_RECORDS,
        ConsistentRead: true,
      });
      if (Items.map((item) => readPartition(tables.deliveryLog, item)).length > 0) return 'found';
      if (LastEvaluatedKey === undefined) return 'none';
      // Another failure may have looked further meanwhile, or begun the period anew.
      await whenConditionHolds(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET looked_to = :to',
          ConditionExpression: looked_to === null ? 'attribute_not_exists(looked_to)' : 'looked_to = :seen',
          ExpressionAttributeValues: {
            ':to': readKey(tables.deliveryLog, LastEvaluatedKey).sk,
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

    claimSignal: (actionId, seen, now) => {
      const { ConditionExpression, values } = asSeen(seen);
      return whenConditionHolds(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET signalled_at = :now REMOVE looked_to',
          ConditionExpression,
          ExpressionAttributeValues: { ...values, ':now': unixSeconds(now) },
        }),
      );
    },
  };
}
