import { globSync } from 'node:fs';
import * as z from 'zod';
import { dynamoDbClient } from '../../../src/adapters/aws-clients.ts';
import { type DynamoDb, dynamoDb } from '../../../src/adapters/dynamodb/client.ts';
import { conversations } from '../../../src/adapters/dynamodb/conversations.ts';
import { deliveryLog, deliveryRecords, eventAttempts } from '../../../src/adapters/dynamodb/delivery-log.ts';
import type { AttemptStart } from '../../../src/domain/delivery/delivery-log.ts';
import { SITE_ID } from '../../fakes/configuration.ts';
import { FrozenClock } from '../../fakes/sources.ts';
import { startTables, type TestTables } from '../adapters/dynamodb/tables.ts';

/**
 * Uses the delivery log and the conversations on a real engine with the code of a released version and today's code in turn.
 * `test/fixtures/released/<version>/stores.mjs` is that version's code. A deployment or rollback may happen during an attempt, so one
 * version begins an attempt and the other ends it.
 */
type Stores = {
  readonly dynamoDb: (access: TestTables['access']) => DynamoDb;
  readonly conversations: typeof conversations;
  readonly deliveryLog: typeof deliveryLog;
  readonly deliveryRecords: typeof deliveryRecords;
  readonly eventAttempts: typeof eventAttempts;
};
const TODAY: Stores = {
  dynamoDb: (access) => dynamoDb(dynamoDbClient(access)),
  conversations,
  deliveryLog,
  deliveryRecords,
  eventAttempts,
};
const released = z.custom<Stores>((module) => typeof module === 'object' && module !== null && 'deliveryLog' in module);

const VERSIONS = globSync('test/fixtures/released/*/stores.mjs').sort();
const DIRECTIONS = await Promise.all(
  VERSIONS.flatMap((file) => [
    (async () => ({ direction: `from ${file} to today`, before: await load(file), after: TODAY }))(),
    (async () => ({ direction: `back from today to ${file}`, before: TODAY, after: await load(file) }))(),
  ]),
);

async function load(file: string): Promise<Stores> {
  return released.parse(await import(`../../../${file}`));
}

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(async () => {
  await tables?.stop();
});

test('a released version has stores', () => {
  expect(VERSIONS).toContain('test/fixtures/released/0.1.0/stores.mjs');
});

describe.each(DIRECTIONS)('$direction', ({ direction, before, after }) => {
  const clock = new FrozenClock();
  const opened = (stores: Stores) => {
    const access = stores.dynamoDb(tables.access);
    return {
      log: stores.deliveryLog(access, tables.sorted, { retentionDays: 30, now: clock.now, traceId: () => '1-a-b' }),
      records: async (actionId: string) => {
        const all = [];
        for await (const record of stores.deliveryRecords(access, tables.sorted, actionId)) {
          // 0.1.0 does not return them.
          all.push({ ...record, event_time: undefined, trace_id: undefined });
        }
        return all;
      },
      attempts: (actionId: string, eventId: string, at: string) =>
        stores.eventAttempts(access, tables.sorted, actionId, eventId, { at }),
      conversations: stores.conversations(access, tables.sorted, clock.now),
    };
  };
  let old: ReturnType<typeof opened>;
  let next: ReturnType<typeof opened>;
  beforeAll(() => {
    [old, next] = [opened(before), opened(after)];
  });
  const mark = direction.startsWith('back') ? 'back' : 'forward';

  const attemptOf = (name: string, more: Partial<AttemptStart> = {}): AttemptStart => ({
    action_id: `act_${mark}_${name}`,
    at: '2026-03-04T05:06:00.000Z',
    reference: `event-${name}`,
    attempt: 1,
    trigger: 'event',
    trigger_ref: 'contact.created',
    // The payload is long enough to be compressed.
    payload: JSON.stringify({ data: 'ü'.repeat(5000) }),
    started_at: clock.now().toISOString(),
    message_id: `message-${name}`,
    ...more,
  });
  const RESULT = { status: 503, response_excerpt: 'busy', latency_ms: 12, success: false, error: null };

  test('a finished attempt is read, and is not made again', async () => {
    const attempts = [
      attemptOf('done'),
      attemptOf('done', { attempt: 2, message_id: 'message-2' }),
      attemptOf('done', { replay: '0123456789ab', message_id: 'message-3' }),
    ];
    for (const attempt of attempts) {
      expect(await old.log.claim(attempt)).toEqual({ kind: 'claimed' });
      await old.log.complete(attempt, RESULT);
      expect(await next.log.claim(attempt)).toMatchObject({
        kind: 'finished',
        result: { success: false, status: 503 },
      });
      expect(await next.log.claim({ ...attempt, message_id: 'another' })).toEqual({ kind: 'taken' });
    }
    const read = await next.records(attempts[0]?.action_id ?? '');
    expect(read).toEqual(await old.records(attempts[0]?.action_id ?? ''));
    expect(read).toHaveLength(3);
    for (const record of read) expect(record).toMatchObject({ payload: attempts[0]?.payload, ...RESULT });
    const one = attemptOf('done');
    expect(await next.attempts(one.action_id, one.reference, one.at)).toHaveLength(3);
  });

  test('an attempt in progress is waited for, and then ended by the other version', async () => {
    const attempt = attemptOf('cut-off');
    await old.log.claim(attempt);
    expect(await next.log.claim(attempt)).toMatchObject({ kind: 'in_progress' });
    clock.advance(60_000);
    expect(await next.log.claim(attempt)).toEqual({ kind: 'resumed' });
    await next.log.complete(attempt, { ...RESULT, success: true, status: 200 });
    expect(await old.log.claim(attempt)).toMatchObject({ kind: 'finished', result: { success: true } });
    // 0.1.0 stores the payload only when it claims the attempt first (CHANGELOG.md, rollback).
    const payload = direction.startsWith('back') && direction.includes('/0.1.0/') ? null : attempt.payload;
    expect(await old.records(attempt.action_id)).toMatchObject([{ sends: 2, payload, success: true }]);
  });

  test('an attempt that was not sent is readable for both versions', async () => {
    const attempt = attemptOf('unsent');
    const error = { code: 'action_disabled', message: 'The Action is disabled' } as const;
    await old.log.recordUnsent(attempt, error);
    expect(await next.records(attempt.action_id)).toMatchObject([{ sends: 0, success: false, error }]);
  });

  test('a conversation continues, and the calls of both versions count together', async () => {
    const conversation = {
      site_id: SITE_ID,
      conversation_id: `c-${mark}`,
      session_id: 's-1',
      visitor_id: 'visitor_1',
      user_id: null,
      started_at: clock.now().toISOString(),
    };
    await old.conversations.saveConversation(conversation);
    expect(await next.conversations.findConversation(SITE_ID, conversation.conversation_id)).toEqual(conversation);
    const call = { siteId: SITE_ID, conversationId: conversation.conversation_id, actionId: 'act_tool' };
    const counted = [];
    for (const { conversations } of [old, next, old, next, next, next, old]) {
      counted.push(await conversations.countCall(call, 5));
    }
    expect(counted).toEqual([true, true, true, true, true, false, false]);
  });

  test('a submission is made once, whichever version began it', async () => {
    const key = { siteId: SITE_ID, conversationId: `c-${mark}`, clientKey: 'key', formId: 'act_1' };
    expect(await old.conversations.claimSubmission(key, 'submission-1', clock.now())).toMatchObject({
      kind: 'claimed',
      submissionId: 'submission-1',
    });
    expect(await next.conversations.claimSubmission(key, 'submission-2', clock.now())).toEqual({ kind: 'in_progress' });
    await old.conversations.settleSubmission(key, false);
    expect(await next.conversations.claimSubmission(key, 'submission-3', clock.now())).toMatchObject({
      kind: 'claimed',
      submissionId: 'submission-1',
    });
    await next.conversations.settleSubmission(key, true);
    expect(await old.conversations.claimSubmission(key, 'submission-4', clock.now())).toEqual({
      kind: 'accepted',
      submissionId: 'submission-1',
    });
  });
});
