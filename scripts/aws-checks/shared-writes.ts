import { randomUUID } from 'node:crypto';
import { dynamoDbClient } from '../../src/adapters/aws-clients.ts';
import { dynamoDb } from '../../src/adapters/dynamodb/client.ts';
import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log.ts';
import { partitionOf } from '../../src/adapters/dynamodb/log-partitions.ts';
import { writesTogether } from '../../src/adapters/dynamodb/writes-together.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, expectThat } from './check.ts';

/** Claims and completes three attempts of an Action that does not exist, and a fourth that is already claimed. */
export const sharedWrites: Check = {
  name: 'Claims and completions of a batch share calls (BatchExecuteStatement)',
  run: async ({ access, output }) => {
    const table = output(OUTPUTS.deliveryLogTable);
    const client = dynamoDb(dynamoDbClient(access));
    const made: (readonly boolean[])[] = [];
    const noting: Pick<typeof client, 'writeEach'> = {
      writeEach: async (...call) => {
        const results = await client.writeEach(...call);
        made.push(results);
        return results;
      },
    };
    const writes = writesTogether(noting, table);
    const log = deliveryLog(client, table, { retentionDays: 1, now: () => new Date(), writes });
    const action_id = `act_verification_${randomUUID()}`;
    const at = new Date().toISOString();
    const starts = [1, 2, 3].map((attempt) => ({
      action_id,
      at,
      reference: 'verification',
      attempt,
      trigger: 'event' as const,
      trigger_ref: 'test.ping',
      payload: '{}',
      started_at: at,
      message_id: `message-${attempt}`,
    }));
    const result = { status: 200, response_excerpt: '', latency_ms: 1, success: true, error: null };
    try {
      const kinds = (await Promise.all(starts.map((start) => log.claim(start)))).map(({ kind }) => kind).join();
      expectThat(kinds === 'claimed,claimed,claimed', `the claims are ${kinds}`);
      const copies = starts.slice(0, 2).map((start) => ({ ...start, message_id: 'another-message' }));
      const others = (await Promise.all(copies.map((start) => log.claim(start)))).map(({ kind }) => kind).join();
      expectThat(others === 'taken,taken', `the claims of other messages are ${others}`);
      await Promise.all(starts.map((start) => log.complete(start, result)));
      const seen = JSON.stringify(made);
      const expected = JSON.stringify([
        [true, true, true],
        [false, false],
        [true, true, true],
      ]);
      expectThat(seen === expected, `the shared calls made ${seen} instead of ${expected}`);
      return `three calls made ${seen}`;
    } finally {
      const keys = starts.map((start) => ({
        pk: partitionOf(start.action_id, start.reference),
        sk: `${at}#verification#${start.attempt}`,
      }));
      await client.batchDelete(table, keys);
    }
  },
};
