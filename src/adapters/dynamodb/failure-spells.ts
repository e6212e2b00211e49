import type { FailureSpell, WatchEndpointPorts } from '../../domain/delivery/failing-endpoint.ts';
import { unixSeconds } from '../../domain/sources.ts';
import type { DynamoDb } from './client.ts';
import { conditionFailure, whenConditionHolds } from './conditions.ts';
import { logPartition } from './delivery-log.ts';

/** A spell ends when no delivery failed for so long, in seconds. */
const SPELL_SECONDS = 48 * 3600;
/** The log is sorted by the events' time; an attempt may begin so much later, in seconds. */
const QUEUED_SECONDS = 600;

const keyOf = (actionId: string) => ({ pk: `failing#${actionId}` });

/** Since when the deliveries of an Action fail: one item of the counters table, written by failures only. */
export function failureSpells(
  client: DynamoDb,
  tables: { readonly counters: string; readonly deliveryLog: string },
): Pick<WatchEndpointPorts, 'noteFailure' | 'succeededSince' | 'restartSpell' | 'claimSignal'> {
  const TableName = tables.counters;
  const asSeen = ({ since, signalled_at }: FailureSpell) => ({
    ConditionExpression: `failing_since = :since AND ${
      signalled_at === null ? 'attribute_not_exists(signalled_at)' : 'signalled_at = :seen'
    }`,
    values: { ':since': since, ...(signalled_at === null ? {} : { ':seen': signalled_at }) },
  });

  return {
    noteFailure: async (actionId, now) => {
      const seconds = unixSeconds(now);
      const times = { ':now': seconds, ':expires': seconds + SPELL_SECONDS };
      let spell: FailureSpell = { since: seconds, signalled_at: null };
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
            const { failing_since, signalled_at } = Attributes ?? {};
            spell = {
              since: Number(failing_since ?? seconds),
              signalled_at: signalled_at === undefined ? null : Number(signalled_at),
            };
          }),
      );
      if (expired !== undefined) {
        await client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET failing_since = :now, expires_at = :expires REMOVE signalled_at',
          ExpressionAttributeValues: times,
        });
      }
      return spell;
    },

    succeededSince: async (actionId, since) => {
      const pages = client.queryPages({
        TableName: tables.deliveryLog,
        KeyConditionExpression: 'pk = :pk AND sk >= :from',
        FilterExpression: 'record_state = :succeeded AND #record.started_at >= :since',
        ProjectionExpression: 'pk, v',
        ExpressionAttributeNames: { '#record': 'record' },
        ExpressionAttributeValues: {
          ':pk': logPartition(actionId),
          ':from': new Date((since - QUEUED_SECONDS) * 1000).toISOString(),
          ':since': new Date(since * 1000).toISOString(),
          ':succeeded': 'succeeded',
        },
        // The newest are the likeliest to have succeeded.
        ScanIndexForward: false,
        ConsistentRead: true,
      });
      for await (const { Items } of pages) if (Items.length > 0) return true;
      return false;
    },

    restartSpell: (actionId, seen, now) => {
      const { ConditionExpression, values } = asSeen(seen);
      return whenConditionHolds(
        client.update({
          TableName,
          Key: keyOf(actionId),
          UpdateExpression: 'SET failing_since = :now REMOVE signalled_at',
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
          UpdateExpression: 'SET signalled_at = :now',
          ConditionExpression,
          ExpressionAttributeValues: { ...values, ':now': unixSeconds(now) },
        }),
      );
    },
  };
}
