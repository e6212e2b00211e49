import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { KEYS } from '../../../../src/adapters/dynamodb/configuration-items.ts';
import { batchedActionReads, configurationReads } from '../../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations.ts';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log.ts';
import { partitionOf } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import { hitPerMinute } from '../../../../src/adapters/dynamodb/rate-limits.ts';
import type { AttemptStart } from '../../../../src/domain/delivery/delivery-log.ts';
import { anAssistant, anEventAction, ORG_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { startTables, type TestTables } from './tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const clock = new FrozenClock();
const AT = clock.now().toISOString();
const START: AttemptStart = {
  action_id: 'act_log',
  at: AT,
  reference: 'event-1',
  attempt: 1,
  trigger: 'event',
  trigger_ref: 'conversation.started',
  payload: '{}',
  started_at: AT,
  message_id: 'message-1',
};
const LOG_KEY = { pk: partitionOf('act_log', 'event-1'), sk: `${AT}#event-1#1` };

const reads = () => configurationReads(tables.client, tables.sorted);
const store = () => configurationStore(tables.client, tables.sorted);
const kept = () => conversations(tables.client, tables.sorted, clock.now);
const log = () => deliveryLog(tables.client, tables.sorted, { retentionDays: 30, now: clock.now });

async function all<One>(items: AsyncIterable<One>): Promise<readonly One[]> {
  const read: One[] = [];
  for await (const one of items) read.push(one);
  return read;
}

type Kind = {
  readonly kind: string;
  readonly key: Record<string, string>;
  readonly read: () => Promise<unknown>;
  /** Attributes on which the read depends, and which newer code would also write. */
  readonly attributes?: Record<string, unknown>;
};

/** One kind of item for each kind of call: the client checks the version of every item that it returns. */
const KINDS: readonly Kind[] = [
  { kind: 'read alone', key: KEYS.organization(ORG_ID), read: () => store().findOrganization(ORG_ID) },
  { kind: 'read by a scan', key: KEYS.organization(ORG_ID), read: () => all(store().listOrganizations()) },
  {
    kind: 'read with others',
    key: KEYS.action(ORG_ID, 'act_1'),
    read: () => batchedActionReads(tables.client, tables.sorted)(ORG_ID, 'act_1'),
  },
  { kind: 'read by a query', key: KEYS.audit(ORG_ID, AT, 'act_1', 1), read: () => store().auditPage(ORG_ID) },
  {
    kind: 'returned by a refused update',
    key: { pk: 'form-submit#key' },
    read: () => hitPerMinute(tables.client, tables.unsorted)('form-submit#key', 2, clock.now()),
    attributes: { h0: clock.now().getTime() },
  },
  { kind: 'returned by a refused put', key: LOG_KEY, read: () => log().claim(START) },
  {
    kind: 'returned by a refused update of a record',
    key: LOG_KEY,
    read: () => log().recordUnsent(START, { code: 'action_disabled', message: 'off' }),
  },
];

describe('an item of a newer version', () => {
  test.each(KINDS)(
    'that is $kind is refused with the names of its table and version',
    async ({ key, read, attributes }) => {
      const TableName = 'sk' in key ? tables.sorted : tables.unsorted;
      const newer = { ...key, ...attributes, v: 2, of_a_later_release: true };
      await tables.documents.send(new PutCommand({ TableName, Item: newer }));
      await expect(read()).rejects.toMatchObject({
        name: 'NewerItem',
        message: `Table ${TableName} holds an item of version 2, but this code reads versions up to 1: deploy the newer version of va-wave again`,
      });
    },
  );

  test.each([
    [0.5, 1],
    ['1', false],
    [3, false],
  ])('with a version of %p is readable: %p', async (v, isRead) => {
    const Key = KEYS.assistant('site_version');
    const assistant = anAssistant({ site_id: 'site_version' });
    const Item = { ...Key, assistant, v };
    await tables.documents.send(new PutCommand({ TableName: tables.sorted, Item }));
    const found = reads().findAssistant('site_version');
    if (isRead) expect(await found).toEqual(assistant);
    else await expect(found).rejects.toMatchObject({ name: 'NewerItem' });
  });
});

describe('an item of this version', () => {
  test('is written with the version, alone or in a transaction, and readers do not return the version', async () => {
    const assistant = anAssistant({ site_id: 'site_put', org_id: 'org_put' });
    await store().createOrganization({ org_id: 'org_put', name: 'Shop', plan: 'free', created_at: AT });
    await store().createAssistant(assistant, 100);
    await kept().saveConversation(conversation('c-put'));
    for (const Key of [KEYS.assistant('site_put'), { pk: `SITE#${SITE_ID}#CONVERSATION#c-put`, sk: 'CONVERSATION' }]) {
      const { Item } = await tables.documents.send(new GetCommand({ TableName: tables.sorted, Key }));
      expect(Item?.v).toBe(1);
    }
  });

  test('without a version is an item of the first version, whose unknown attributes are ignored and kept', async () => {
    const action = anEventAction({ action_id: 'act_old', org_id: 'org_old' });
    await store().createOrganization({ org_id: 'org_old', name: 'Old', plan: 'free', created_at: AT });
    await store().createAction(action);
    await tables.documents.send(
      new UpdateCommand({
        TableName: tables.sorted,
        Key: KEYS.action('org_old', 'act_old'),
        UpdateExpression: 'SET later = :later, #action.later = :later REMOVE v',
        ExpressionAttributeNames: { '#action': 'action' },
        ExpressionAttributeValues: { ':later': 'on' },
      }),
    );
    expect(await reads().findAction('org_old', 'act_old')).toEqual({ ...action, later: 'on' });
  });
});

const conversation = (conversation_id: string) => ({
  site_id: SITE_ID,
  conversation_id,
  session_id: 's-1',
  visitor_id: 'v-1',
  user_id: null,
  started_at: AT,
});
