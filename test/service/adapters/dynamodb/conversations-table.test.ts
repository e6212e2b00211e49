import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import type { CountedCall } from '../../../../src/domain/context.ts';
import { SITE_ID } from '../../../fakes/configuration.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { aConversation } from '../../../fakes/widget.ts';
import { atOnce, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();

const DAY = 24 * 3600 * 1000;

const own = (submissionId: string) => ({ formId: 'act_1', submissionId });

function setUp() {
  const clock = new FrozenClock();
  const key = { siteId: SITE_ID, conversationId: randomUUID(), clientKey: 'key-1' };
  return { clock, key, store: conversations(tables.client, tables.sorted, clock.now) };
}

describe('a conversation', () => {
  test('is not found after 30 days, also when DynamoDB has not deleted it yet', async () => {
    const { store, clock } = setUp();
    const conversation = aConversation({ conversation_id: randomUUID() });
    await store.saveConversation(conversation);
    clock.advance(30 * DAY - 1000);
    expect(await store.findConversation(SITE_ID, conversation.conversation_id)).toBeDefined();
    clock.advance(1000);
    expect(await store.findConversation(SITE_ID, conversation.conversation_id)).toBeUndefined();
    const pk = `SITE#${SITE_ID}#CONVERSATION#${conversation.conversation_id}`;
    const { Item } = await tables.documents.send(
      new GetCommand({ TableName: tables.sorted, Key: { pk, sk: 'CONVERSATION' } }),
    );
    expect(Item?.expires_at).toBe(Math.floor(clock.now().getTime() / 1000));
  });
});

describe('a submission with a client_key', () => {
  test('is claimed by exactly one of 20 concurrent requests; the others learn that it is in progress', async () => {
    const { store, key, clock } = setUp();
    const claims = await atOnce(20, (i) => store.claimSubmission(key, own(`submission-${i}`), clock.now()));
    const claimed = claims.filter((claim) => claim.kind === 'claimed');
    expect(claimed).toHaveLength(1);
    expect(claims.filter((claim) => claim.kind === 'in_progress')).toHaveLength(19);
    expect(claimed[0]).toEqual({
      kind: 'claimed',
      submissionId: `submission-${claims.findIndex((claim) => claim.kind === 'claimed')}`,
    });
  });

  test('that was accepted always returns its id', async () => {
    const { store, key, clock } = setUp();
    await store.claimSubmission(key, own('first'), clock.now());
    await store.settleSubmission(key, true);
    clock.advance(DAY);
    const claims = await atOnce(5, () => store.claimSubmission(key, own('second'), clock.now()));
    expect(claims).toEqual(Array.from({ length: 5 }, () => ({ kind: 'accepted', submissionId: 'first' })));
  });

  test('that was cut off is claimed again when no function can still be sending it', async () => {
    const { store, key, clock } = setUp();
    await store.claimSubmission(key, own('first'), clock.now());
    clock.advance(30_000);
    expect(await store.claimSubmission(key, own('second'), clock.now())).toEqual({ kind: 'in_progress' });
    clock.advance(1000);
    expect(await store.claimSubmission(key, own('third'), clock.now())).toEqual({
      kind: 'claimed',
      submissionId: 'first',
    });
    expect(await store.claimSubmission(key, own('fourth'), clock.now())).toEqual({ kind: 'in_progress' });
  });

  test.each(['sending', 'accepted', 'failed'])(
    'of one form is refused to another form while it is %s',
    async (state) => {
      const { store, key, clock } = setUp();
      await store.claimSubmission(key, own('first'), clock.now());
      if (state !== 'sending') await store.settleSubmission(key, state === 'accepted');
      clock.advance(DAY);
      const ofOther = { ...own('second'), formId: 'act_2' };
      expect(await store.claimSubmission(key, ofOther, clock.now())).toEqual({ kind: 'other_form' });
    },
  );

  test.each(['siteId', 'conversationId', 'clientKey'] as const)(
    'shares nothing with one of another %s',
    async (part) => {
      const { store, key, clock } = setUp();
      await store.claimSubmission(key, own('first'), clock.now());
      expect(await store.claimSubmission({ ...key, [part]: 'other' }, own(randomUUID()), clock.now())).toMatchObject({
        kind: 'claimed',
      });
    },
  );
});

describe('counting calls', () => {
  const aCall = (changes: Partial<CountedCall> = {}): CountedCall => ({
    siteId: SITE_ID,
    conversationId: randomUUID(),
    actionId: 'act_1',
    idempotencyKey: undefined,
    argumentsHash: 'of these',
    ...changes,
  });

  test('counts exactly five of 30 concurrent calls per conversation and Action', async () => {
    const { store } = setUp();
    const call = aCall();
    const admissions = await atOnce(30, () => store.countCall(call, 5));
    expect(admissions.toSorted()).toEqual([...Array(5).fill('counted'), ...Array(25).fill('limit_reached')]);
    expect(await store.countCall({ ...call, actionId: 'act_2' }, 5)).toBe('counted');
    expect(await store.countCall({ ...call, conversationId: randomUUID() }, 5)).toBe('counted');
  });

  test('counts one of 10 concurrent calls with one key, and knows it also after the fifth call', async () => {
    const { store } = setUp();
    const call = aCall({ idempotencyKey: 'a key with "spaces", #, . and 😀' });
    const admissions = await atOnce(10, () => store.countCall(call, 5));
    expect(admissions.toSorted()).toEqual([...Array(9).fill('already_called'), 'counted']);
    for (let n = 2; n <= 5; n++)
      expect(await store.countCall({ ...call, idempotencyKey: String(n) }, 5)).toBe('counted');
    expect(await store.countCall(call, 5)).toBe('already_called');
    expect(await store.countCall({ ...call, argumentsHash: 'of others' }, 5)).toBe('other_arguments');
    expect(await store.countCall({ ...call, idempotencyKey: '6' }, 5)).toBe('limit_reached');
    expect(await store.countCall({ ...call, idempotencyKey: undefined }, 5)).toBe('limit_reached');
  });

  test.each([undefined, 'key'])(
    'counts once when its answer is lost and the client writes again (key: %s)',
    async (key) => {
      const { store, clock } = setUp();
      const { client } = tables;
      const losing = conversations(
        {
          ...client,
          update: async (input) => {
            await client.update(input);
            return client.update(input);
          },
        },
        tables.sorted,
        clock.now,
      );
      const call = aCall({ idempotencyKey: key });
      expect(await losing.countCall(call, 2)).toBe('counted');
      expect(await store.countCall({ ...call, idempotencyKey: 'another' }, 2)).toBe('counted');
      expect(await store.countCall({ ...call, idempotencyKey: 'a third' }, 2)).toBe('limit_reached');
    },
  );
});
