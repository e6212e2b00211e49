import { readFileSync } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import {
  batchedActionReads,
  configurationReads,
  subscriptionReads,
} from '../../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import { hitPerMinute, requestCounts } from '../../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads, partitionOf } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import { erasure } from '../../../../src/adapters/dynamodb/erasure.ts';
import { failurePeriods } from '../../../../src/adapters/dynamodb/failure-periods.ts';
import { members } from '../../../../src/adapters/dynamodb/memberships.ts';
import { OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { anAttempt, mustRead } from '../../../fakes/delivery.ts';
import { createAction, updateAction, updateAssistant } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';
import { tablesOfFile } from './tables.ts';

/** Every kind of item, in DynamoDB's JSON. */
const FIXTURE: Readonly<Record<string, readonly Record<string, unknown>[]>> = fixture();

type Item = Record<string, unknown> & { readonly pk: string; readonly sk?: string };

function fixture() {
  const text = readFileSync(new URL('../../../fixtures/stored-items.json', import.meta.url), 'utf8');
  const bytes = (name: string, value: unknown) => (name === 'B' ? Buffer.from(String(value), 'base64') : value);
  const wire = z.record(z.string(), z.array(z.custom<Record<string, AttributeValue>>())).parse(JSON.parse(text, bytes));
  return Object.fromEntries(
    Object.entries(wire).map(([table, items]) => [table, items.map((item) => unmarshall(item))]),
  );
}

const itemsOf = (...names: readonly string[]): readonly Item[] =>
  names.flatMap((name) => FIXTURE[name] ?? []).map((item) => ({ ...item, pk: String(item.pk) }));

const ORG = 'org_pw73okqevcjnuqlyjzoa';
const SITE = 'site_feqhle7blzwfp6ukwx57';
const PLAIN = 'site_5kqmp7x3cptigxczyyqj';
const EVENT = 'act_xpegzu4jxhyckqatbuxr';
const FORM = 'act_j7sj6wyeexgavzwyyyeh';
const AI = 'act_oybs2gngnero25wdvyi2';
const CALL = 'act_ji55hlxquhthapufenrp';
/** When the items were written. */
const AT = '2026-03-04T05:06:10.250Z';

const tables = await tablesOfFile();
const logs = await tablesOfFile();

/** Stores the items of the fixture in tables. @returns every reader of these items */
async function storeItems() {
  const put = (TableName: string, Item: Item) =>
    (TableName === logs.sorted ? logs : tables).documents.send(new PutCommand({ TableName, Item }));
  for (const item of itemsOf('configuration', 'conversations')) await put(tables.sorted, item);
  for (const item of itemsOf('delivery_log')) await put(logs.sorted, item);
  for (const item of itemsOf('counters')) await put(tables.unsorted, item);
  const clock = new FrozenClock(AT);
  const { client, sorted, unsorted } = tables;
  const reads = configurationReads(client, sorted);
  return {
    put,
    reads,
    subscribersOf: (orgId: string) => subscriptionReads(client, sorted, clock.now)(orgId),
    together: batchedActionReads(client, sorted),
    author: OPERATOR_AUTHOR,
    store: configurationStore(client, sorted),
    members: members(client, sorted),
    erasure: erasure(
      client,
      { configuration: sorted, counters: unsorted, conversations: sorted, deliveryLog: sorted },
      mustRead,
    ),
    kept: conversations(client, sorted, clock.now),
    log: deliveryLog(logs.client, logs.sorted, { retentionDays: 30, now: clock.now }),
    periods: failurePeriods(client, { counters: unsorted, deliveryLog: sorted }),
    clock,
    context: {
      author: OPERATOR_AUTHOR,
      store: configurationStore(client, sorted),
      now: clock.now,
      randomBytes: countingBytes(),
      sealSigningSecret: async () => 'sealed',
    },
  };
}

const stored = await storeItems();

async function all<One>(items: AsyncIterable<One>): Promise<readonly One[]> {
  const read: One[] = [];
  for await (const one of items) read.push(one);
  return read;
}

const { clock, kept, log, members: directory, periods, reads, store } = stored;

type Key = { readonly pk: string; readonly sk?: string };

const ORGANIZATION = { pk: `ORG#${ORG}`, sk: 'ORG' };
const ASSISTANT = { pk: `SITE#${SITE}`, sk: 'ASSISTANT' };
const PLAIN_ASSISTANT = { pk: `SITE#${PLAIN}`, sk: 'ASSISTANT' };
const ACTION = (id: string) => ({ pk: `ORG#${ORG}`, sk: `ACTION#${id}` });
const OWNER = { pk: `ACTION#${EVENT}`, sk: 'OWNER' };
const SLUG = { pk: `SITE#${SITE}`, sk: 'SLUG#Form#contact-us' };
const MEMBER = { pk: `ORG#${ORG}`, sk: 'MEMBER#sub-1' };
const AUDIT = { pk: `AUDIT#${ORG}`, sk: `2026-03-04T05:06:09.250Z#${EVENT}#2` };
const CONVERSATION = { pk: `SITE#${SITE}#CONVERSATION#c-user`, sk: 'CONVERSATION' };
const SUBMISSION = { ...CONVERSATION, sk: 'SUBMISSION#accepted' };
const CLAIM = { siteId: SITE, conversationId: 'c-user', clientKey: 'accepted' };
const MINUTE = { pk: 'form-submit#full' };
const HOUR = { pk: `requests#${SITE}#492389` };
const FAILING = { pk: 'failing#act_signalled' };
const START = anAttempt({ action_id: EVENT, started_at: AT });
const RECORD = { pk: partitionOf(EVENT, 'event-1'), sk: '2026-03-04T05:06:00Z#event-1#1' };

const hit = hitPerMinute(tables.client, tables.unsorted);
const countsOf = requestCounts(tables.client, tables.unsorted, clock.now);
const { deliveryRecords, eventAttempts } = deliveryLogReads(logs.client, logs.sorted, mustRead);
const listed = () => all(deliveryRecords(EVENT));
const traced = () => eventAttempts(EVENT, 'event-1', START.at);
const OFF = { code: 'action_disabled', message: 'off' } as const;

/** Fails as the first of a list that cannot be read. */
const firstOf = async <List extends { readonly unreadable: readonly { readonly cause: Error }[] }>(
  list: Promise<List>,
) => {
  const [first] = (await list).unreadable;
  if (first !== undefined) throw first.cause;
  return list;
};

/**
 * Each kind of item, the key of one, an attribute that must be present and valid for the item to be readable, and a reader. The attribute is
 * a path.
 */
const KINDS: readonly (readonly [kind: string, key: Key, attribute: string, read: () => Promise<unknown>])[] = [
  ['organization', ORGANIZATION, 'organization.plan', () => store.findOrganization(ORG)],
  [
    'organization, listed',
    ORGANIZATION,
    'organization.name',
    () => all(store.listOrganizations()).then(([page]) => firstOf(Promise.resolve(page ?? { unreadable: [] }))),
  ],
  ['assistant', ASSISTANT, 'assistant.enabled', () => reads.findAssistant(SITE)],
  ['assistant, listed', ASSISTANT, 'assistant.server_secret.sha256', () => firstOf(store.listAssistants(ORG))],
  ['Event Action', ACTION(EVENT), 'action.url', () => reads.findAction(ORG, EVENT)],
  ['Form Action', ACTION(FORM), 'action.form_fields', () => reads.findAction(ORG, FORM)],
  ['AI-decided Action', ACTION(AI), 'action.feed_response_back', () => reads.findAction(ORG, AI)],
  ['Action, of no trigger', ACTION(AI), 'action.trigger', () => reads.findAction(ORG, AI)],
  ['Action, read with others', ACTION(EVENT), 'action.version', () => stored.together(ORG, EVENT)],
  ['Action, listed', ACTION(EVENT), 'action.sealed_signing_secret', () => firstOf(store.listActions(ORG))],
  ["Action's owner", OWNER, 'org_id', () => store.findActionById(EVENT)],
  ['slug', SLUG, 'action.action_id', () => reads.findForm(SITE, 'contact-us')],
  ['membership', MEMBER, 'membership.role', () => directory.findMembership(ORG, 'sub-1')],
  ['membership, listed', MEMBER, 'membership.email', () => firstOf(directory.list(ORG))],
  ['membership, of a login', MEMBER, 'membership.created_at', () => firstOf(directory.membershipsOf('sub-1'))],
  ['audit record', AUDIT, 'record.by', () => firstOf(store.auditPage(ORG))],
  ['conversation', CONVERSATION, 'conversation.user_id', () => kept.findConversation(SITE, 'c-user')],
  ['conversation, its end', CONVERSATION, 'expires_at', () => kept.findConversation(SITE, 'c-user')],
  [
    'form submission',
    SUBMISSION,
    'submission_id',
    () => kept.claimSubmission(CLAIM, { formId: 'act_1', submissionId: 'new' }, clock.now()),
  ],
  ['hits of a minute', MINUTE, 'h0', () => hit(MINUTE.pk, 2, clock.now())],
  ['requests of an hour', HOUR, 'hits', () => countsOf(SITE)],
  ['failing endpoint', FAILING, 'failing_since', () => periods.recordFailure('act_signalled', clock.now())],
  ['attempt, claimed', RECORD, 'record_state', () => log.claim(START)],
  ['attempt, unsent', RECORD, 'error.code', () => log.recordUnsent(START, OFF)],
  ['attempt, listed', RECORD, 'record.started_at', listed],
  ['attempt, traced', RECORD, 'sends', traced],
];

const tableOf = ({ pk, sk }: Key) => {
  if (sk === undefined) return tables.unsorted;
  return pk === RECORD.pk && sk !== 'OWNER' ? logs.sorted : tables.sorted;
};

function itemAt({ pk, sk }: Key): Item {
  const found = itemsOf('configuration', 'counters', 'conversations', 'delivery_log').find(
    (item) => item.pk === pk && item.sk === sk,
  );
  if (found === undefined) throw new Error(`The fixture has no ${pk} / ${sk}`);
  return found;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Returns the item with another value at the path, or without the value. */
function changedAt(
  item: Record<string, unknown>,
  [name, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const { [String(name)]: held, ...others } = item;
  const next = rest.length > 0 && isMap(held) ? changedAt(held, rest, value) : value;
  return next === undefined ? others : { ...others, [String(name)]: next };
}

/** Objects whose property names an admin chooses. A further name there is a further parameter, and no attribute of newer code. */
const NAMED_FREELY: ReadonlySet<string> = new Set(['properties']);

function withMore(value: unknown, name = ''): unknown {
  if (name === 'parameters') return JSON.stringify(withMore(JSON.parse(String(value))));
  if (Array.isArray(value)) return value.map((one) => withMore(one));
  if (!isMap(value)) return value;
  const more = Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withMore(held, key)]));
  return NAMED_FREELY.has(name) ? more : { ...more, of_a_later_release: { on: [true] } };
}

/** Returns an item with additional attributes of newer code at every depth. */
const newerAt = (key: Key) => ({ ...z.record(z.string(), z.unknown()).parse(withMore(itemAt(key))), ...key });

describe.each(KINDS)('%s', (_kind, key, attribute, read) => {
  afterEach(() => stored.put(tableOf(key), itemAt(key)));
  const put = (item: Record<string, unknown>) => stored.put(tableOf(key), { ...item, ...key });
  const failure = () =>
    read().then(
      () => 'it was read',
      (error: unknown) => error,
    );

  test.each([
    ['without the attribute', undefined],
    ['with a value of another type', { TellNobody: 'TellNobody' }],
    ['with nothing', null],
    ['with a number that JavaScript cannot hold', 2n ** 70n],
  ])('%s causes an error that names the table and the key, and no value', async (_, value) => {
    // Null is a valid value of one attribute. Two others may be missing.
    if (attribute === 'conversation.user_id' && value === null) return;
    if (['h0', 'failing_since'].includes(attribute) && value === undefined) return;
    await put(changedAt(itemAt(key), attribute.split('.'), value));
    const error = await failure();
    expect(error).toMatchObject({ name: 'UnreadableItem' });
    const message = String(error);
    expect(message).toContain(tableOf(key));
    expect(message).toContain(key.sk === undefined ? key.pk : `${key.pk} / ${key.sk}`);
    expect(message).not.toMatch(/TellNobody|1180591620717411303424/);
  });

  test('of a newer version is refused with the names of its table, its key and its version', async () => {
    await put({ ...itemAt(key), v: 2 });
    expect(await failure()).toMatchObject({
      name: 'NewerItem',
      message: `Table ${tableOf(key)} holds an item of version 2, ${key.sk === undefined ? key.pk : `${key.pk} / ${key.sk}`}, but this code reads versions up to 1: deploy the newer version of va-wave again`,
    });
  });

  test('is read with additional attributes of newer code at every depth', async () => {
    const before = await read();
    await stored.put(tableOf(key), itemAt(key));
    await put(newerAt(key));
    const after = await read();
    if (typeof before === 'object')
      expect(after).toMatchObject(z.looseObject({}).or(z.array(z.unknown())).parse(before));
    else expect(after).toBe(before);
  });
});

test('a record of the audit trail that cannot be read keeps no other from an export, and is named', async () => {
  const causes: string[] = [];
  const { client, sorted, unsorted } = tables;
  const names = { configuration: sorted, counters: unsorted, conversations: sorted, deliveryLog: sorted };
  const { auditItems } = erasure(client, names, ({ message }) => void causes.push(message));
  const before = await all(auditItems(ORG));
  await stored.put(tables.sorted, { ...changedAt(itemAt(AUDIT), ['record', 'by'], 'nobody'), ...AUDIT });
  expect(await all(auditItems(ORG))).toEqual(before.filter(({ sk }) => sk !== AUDIT.sk));
  expect(before.length).toBeGreaterThan(1);
  expect(causes).toEqual([expect.stringContaining(`${AUDIT.pk} / ${AUDIT.sk}: record.by`)]);
  await stored.put(tables.sorted, itemAt(AUDIT));
});

test('an item of a conversation that cannot be read keeps no other from the search for a person, and is named', async () => {
  const causes: string[] = [];
  const { client, sorted, unsorted } = tables;
  const names = { configuration: sorted, counters: unsorted, conversations: sorted, deliveryLog: sorted };
  const { conversations: pages } = erasure(client, names, ({ message }) => void causes.push(message));
  const found = async () => (await all(pages())).flatMap(({ items }) => items.map((item) => item.conversation_id));
  const [own] = itemsOf('conversations').filter(({ sk }) => sk === 'CONVERSATION');
  if (own === undefined) throw new Error('The fixture has no conversation');
  const before = await found();
  await stored.put(tables.sorted, { ...own, conversation: 'none' });
  const after = await found();
  await stored.put(tables.sorted, own);
  expect([before.length - after.length, causes]).toEqual([1, [expect.stringContaining(`${own.pk} / ${own.sk}`)]]);
});

test('a record that cannot be read keeps no other record from being read, and is named', async () => {
  const causes: string[] = [];
  const tell = ({ message }: Error) => void causes.push(message);
  const reads = deliveryLogReads(logs.client, logs.sorted, tell);
  const read = async () => [
    await reads.eventAttempts(EVENT, 'event-1', START.at),
    await all(reads.deliveryRecords(EVENT)),
  ];
  const before = await read();
  await stored.put(logs.sorted, { ...itemAt(RECORD), ...RECORD, sends: 'none' });
  const others = before.map((records) =>
    records.filter((one) => [one.event_time, one.reference, one.attempt, one.replay].join('#') !== `${RECORD.sk}#`),
  );
  expect(await read()).toEqual(others);
  expect(others.flat()).not.toEqual([]);
  const problem = expect.stringContaining(`${RECORD.pk} / ${RECORD.sk}: sends`);
  expect(causes).toEqual([problem, problem]);
  await stored.put(logs.sorted, itemAt(RECORD));
});

describe('attributes of newer code', () => {
  afterAll(async () => {
    for (const key of [ACTION(EVENT), ACTION(FORM), ACTION(AI), PLAIN_ASSISTANT]) {
      await stored.put(tables.sorted, itemAt(key));
    }
  });
  const rawAt = async ({ pk, sk }: Item | Key) =>
    (await tables.client.get({ TableName: tables.sorted, Key: { pk, sk } })).Item;
  const more = { of_a_later_release: { on: [true] } };

  test.each([EVENT, FORM, AI])('in the item of the Action %s are kept by a change', async (id) => {
    const key = ACTION(id);
    await stored.put(tables.sorted, newerAt(key));
    const before = await rawAt(key);
    await updateAction(id, { url: 'https://crm.example/elsewhere' }, stored.context);
    const after = await rawAt(key);
    expect(after).toMatchObject({ ...more, action: { ...more, url: 'https://crm.example/elsewhere' } });
    const { url, version, updated_at, ...kept } = z.looseObject({}).parse(before?.action);
    expect(after?.action).toMatchObject(kept);
  });

  test('in the item of an assistant are kept by a change', async () => {
    await stored.put(tables.sorted, newerAt(PLAIN_ASSISTANT));
    await updateAssistant(PLAIN, { name: 'Another' }, stored.context);
    expect(await rawAt(PLAIN_ASSISTANT)).toMatchObject({ ...more, assistant: { ...more, name: 'Another' } });
  });

  test('that exceed the limits and the catalog of this code can be read and changed', async () => {
    const [name, events] = ['x'.repeat(5000), ['conversation.started', 'event.of.a.later.release']];
    const put = changedAt(changedAt(itemAt(ACTION(EVENT)), ['action', 'name'], name), ['action', 'events'], events);
    await stored.put(tables.sorted, { ...put, ...ACTION(EVENT) });
    await updateAction(EVENT, { enabled: true }, stored.context);
    expect(await stored.reads.findAction(ORG, EVENT)).toMatchObject({ name, events, enabled: true });
  });
});

test('an Action whose parameters and fields have names such as constructor is stored and read', async () => {
  const named = {
    constructor: { type: 'string' },
    name: { type: 'string' },
    toString: { type: 'integer' },
    prototype: { type: 'boolean' },
  };
  const input = {
    trigger: 'AI-decided',
    name: 'Odd names',
    url: 'https://crm.example/',
    description: 'Has parameters with odd names',
    parameters: { properties: named, required: ['constructor'] },
    response_field_map: { constructor: '$.a.b', valueOf: '$.c', name: '$.d' },
  };
  const created = await createAction(PLAIN, input, stored.context);
  const changed = await updateAction(created.action_id, { name: 'Odder names' }, stored.context);
  expect(await stored.reads.findAction(ORG, created.action_id)).toEqual(changed);
  expect(changed).toMatchObject({ parameters: { properties: named }, response_field_map: input.response_field_map });
  await stored.store.deleteAction(changed, OPERATOR_AUTHOR);
});

test.each([
  ['is malformed', { assistant: { enabled: 'private' } }],
  ['is of a newer version', { v: 2 }],
])('an assistant that %s does not hide the others of the list, page by page', async (_, change) => {
  await stored.put(tables.sorted, { ...itemAt(ASSISTANT), ...change, ...ASSISTANT });
  const list = await stored.store.listAssistants(ORG);
  expect(await stored.store.assistantsPage(ORG, undefined)).toEqual({ ...list, next: undefined });
  await stored.put(tables.sorted, itemAt(ASSISTANT));
  expect(list).toMatchObject({
    assistants: [{ site_id: PLAIN }],
    unreadable: [{ site_id: SITE, cause: { name: expect.stringMatching(/^(UnreadableItem|NewerItem)$/) } }],
  });
});

describe('an organization with an Action that cannot be read', () => {
  const broken = changedAt(itemAt(ACTION(FORM)), ['action', 'slug'], undefined);
  beforeEach(() => stored.put(tables.sorted, { ...broken, ...ACTION(FORM) }));
  afterAll(() => stored.put(tables.sorted, itemAt(ACTION(FORM))));

  test('lists and offers its other Actions, and delivers to them', async () => {
    const list = await stored.store.listActions(ORG);
    expect(list.actions.map(({ action_id }) => action_id).sort()).toEqual([AI, CALL, EVENT].sort());
    expect(list.unreadable).toMatchObject([{ action_id: FORM, site_id: SITE, cause: { name: 'UnreadableItem' } }]);
    expect(await stored.reads.toolsOf(SITE)).toMatchObject({ actions: [{ action_id: AI }], unreadable: [] });
    expect(await stored.reads.formsOf(SITE)).toMatchObject({ actions: [{ action_id: FORM }], unreadable: [] });
    expect(await Promise.allSettled([EVENT, FORM, AI].map((id) => stored.together(ORG, id)))).toMatchObject([
      { value: { action_id: EVENT } },
      { reason: { name: 'UnreadableItem' } },
      { value: { action_id: AI } },
    ]);
  });

  test.each([undefined, null, 7, { wrong: true }])(
    'reports an Action with the trigger %j, because it may be subscribed to an event',
    async (trigger) => {
      await stored.put(tables.sorted, {
        ...changedAt(itemAt(ACTION(FORM)), ['action', 'trigger'], trigger),
        ...ACTION(FORM),
      });
      const { subscribers, unreadable } = await stored.subscribersOf(ORG);
      expect([subscribers.map(({ action_id }) => action_id), unreadable.map(({ action_id }) => action_id)]).toEqual([
        [EVENT],
        [FORM],
      ]);
    },
  );
});
