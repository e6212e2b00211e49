import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type EraseContext, eraseAssistant, eraseOrganization } from '../../../../cli/operations/erase.ts';
import { erasePerson } from '../../../../cli/operations/personal-data.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import { hitPerMinute } from '../../../../src/adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads } from '../../../../src/adapters/dynamodb/delivery-records.ts';
import { erasure } from '../../../../src/adapters/dynamodb/erasure.ts';
import { members } from '../../../../src/adapters/dynamodb/memberships.ts';
import type { AttemptResult } from '../../../../src/contract/delivery-record.ts';
import type { AttemptStart } from '../../../../src/domain/context.ts';
import { createAssistant } from '../../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../../src/domain/organizations/manage-organizations.ts';
import { usageLogId } from '../../../../src/domain/usage/report-usage.ts';
import { OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { anAttempt, mustRead } from '../../../fakes/delivery.ts';
import { createAction, deleteAction } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';
import { aConversation } from '../../../fakes/widget.ts';
import { atOnce, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();

/** Thrown at a step, like an interruption by Ctrl-C. */
class Interrupted extends Error {}

/**
 * Interrupts a run at each of its steps: every run makes one step more than the run before it.
 * @param run gets the number of steps after which the operator presses Ctrl-C
 * @returns the number of interruptions until a run was complete
 */
async function interruptedAtEachStep(run: (steps: number) => Promise<unknown>): Promise<number> {
  for (let steps = 0; ; steps++) {
    try {
      await run(steps);
      return steps;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
  }
}

const clock = new FrozenClock();
const randomBytes = countingBytes();

function setUp() {
  const { client, sorted, unsorted } = tables;
  const names = { configuration: sorted, counters: unsorted, conversations: sorted, deliveryLog: tables.log };
  const management = {
    author: OPERATOR_AUTHOR,
    store: configurationStore(client, sorted),
    now: clock.now,
    randomBytes,
    sealSigningSecret: async () => 'sealed',
  };
  const log = deliveryLog(client, tables.log, { retentionDays: 30, now: clock.now });
  const kept = conversations(client, sorted, clock.now);
  const memberships = members(client, sorted);
  /** @param steps after which the operator presses Ctrl-C */
  const context = (steps = Number.POSITIVE_INFINITY): EraseContext => {
    let left = steps;
    const step = async () => {
      if (left-- <= 0) throw new Interrupted();
    };
    return { ...management, members: memberships, erasure: erasure(client, names, mustRead), step, pause: step };
  };

  const record = (action_id: string) =>
    log.claim(anAttempt({ action_id, reference: randomUUID(), payload: 'of a visitor' }));

  /** Creates an assistant with every kind of item that belongs to one, also the log of a deleted Action. */
  const assistant = async (orgId: string) => {
    const { site_id } = await createAssistant(
      orgId,
      { name: 'Shop', domain: 'a.example', hourly_rate_limit: 9 },
      management,
    );
    const common = { name: 'Tell', url: 'https://crm.example/', events: ['message.sent'] };
    const create = (input: object) => createAction(site_id, input, management);
    const live = await create({ trigger: 'Event', ...common });
    const gone = await create({ trigger: 'Event', ...common });
    const form = { key: 'a', label: 'A', type: 'Text' };
    await create({ trigger: 'Form', name: 'Form', url: common.url, form_fields: [form] });
    for (const { action_id } of [live, gone]) for (let i = 0; i < 30; i++) await record(action_id);
    await record(usageLogId(site_id));
    await deleteAction(gone.action_id, management);
    const conversation_id = randomUUID();
    await kept.saveConversation(aConversation({ site_id, conversation_id }));
    await kept.countCall(
      {
        siteId: site_id,
        conversationId: conversation_id,
        actionId: live.action_id,
        idempotencyKey: undefined,
        argumentsHash: '',
      },
      5,
    );
    return site_id;
  };
  const organization = async () => {
    const { org_id } = await createOrganization({ name: 'Corner Shop', plan: 'paid' }, management);
    const by = { org_id, sub: `sub-of-${org_id}`, email: 'ada@example.com', role: 'admin', created_at: 'x' } as const;
    await memberships.save(by);
    return {
      orgId: org_id,
      audited: {
        ...management,
        store: configurationStore(client, sorted, clock.now),
        author: { kind: 'admin' as const, membership: by },
      },
    };
  };
  return { context, assistant, organization, record, management, kept, log };
}

/** Returns every item that contains one of these texts, without the records of deletions. */
async function itemsNaming(...ids: readonly string[]): Promise<string[]> {
  const scans = [tables.sorted, tables.log].map((TableName) =>
    tables.documents.send(new ScanCommand({ TableName, ConsistentRead: true })),
  );
  const Items = (await Promise.all(scans)).flatMap((page) => page.Items ?? []).filter(({ pk }) => pk !== 'DELETED');
  return Items.map((item) => JSON.stringify(item)).filter((text) => ids.some((id) => text.includes(id)));
}

/** A world with the person u-1, and with data that must stay: of u-10, of the name only, and of the same id in another organization. */
async function aPerson() {
  const { context, organization, management, kept, log } = setUp();
  const [{ orgId }, other] = [await organization(), await organization()];
  const site = async (org: string) => {
    const { site_id } = await createAssistant(org, { name: 'Shop', domain: '', hourly_rate_limit: 9 }, management);
    const action = { trigger: 'Event', name: 'Tell', url: 'https://crm.example/', events: ['message.sent'] };
    return { site_id, action_id: (await createAction(site_id, action, management)).action_id };
  };
  const [mine, theirs] = [await site(orgId), await site(other.orgId)];
  const start = (payload: object | null, changes: Partial<AttemptStart> = {}) =>
    anAttempt({
      action_id: mine.action_id,
      reference: randomUUID(),
      payload: payload && JSON.stringify(payload),
      ...changes,
    });
  const result: AttemptResult = { status: 500, response_excerpt: '{}', latency_ms: 7, success: false, error: null };
  const write = async (payload: object | null, changes?: Partial<AttemptStart>, excerpt = '{}') => {
    const attempt = start(payload, changes);
    await log.claim(attempt);
    await log.complete(attempt, { ...result, response_excerpt: excerpt });
    return attempt;
  };
  const conversation = async (site_id: string, user_id: string) => {
    const conversation_id = randomUUID();
    const about = { session_id: randomUUID(), visitor_id: user_id, user_id, started_at: clock.now().toISOString() };
    await kept.saveConversation({ site_id, conversation_id, ...about });
    await kept.countCall(
      {
        siteId: site_id,
        conversationId: conversation_id,
        actionId: mine.action_id,
        idempotencyKey: undefined,
        argumentsHash: '',
      },
      5,
    );
    return { conversation_id, session_id: about.session_id };
  };
  const began = await conversation(mine.site_id, 'u-1');
  const kept_conversation = await conversation(mine.site_id, 'u-10');
  await conversation(theirs.site_id, 'u-1');
  const limit = hitPerMinute(tables.client, tables.unsorted);
  await limit(`form-submit#${mine.site_id}#198.51.100.7`, 10, clock.now());

  const erased = [
    await write({ data: { user: { id: 'u-1' } } }),
    await write({ data: { by_user: { 'u-1': 1 } } }),
    await write({ data: { list: [{ mail: 'ada@example.com' }], long: 'x'.repeat(9000) } }),
    await write({ conversation_id: began.conversation_id, values: {} }, { trigger: 'form', hasMessage: false }),
    await write({ order: 5 }, { trigger: 'ai', trigger_ref: began.conversation_id, hasMessage: false }),
    await write({ total: 5 }, { action_id: usageLogId(mine.site_id), trigger: 'usage', trigger_ref: began.session_id }),
    await write(null, {}, '{"customer":{"id":"u-1"}}'),
  ];
  const spared = [
    await write({ data: { user: 'u-10', other: 'ada@example.com.au', text: 'I am u-1' } }),
    await write({ data: { user: { id: 'u-1' } } }, { action_id: theirs.action_id }),
    await write({ conversation_id: kept_conversation.conversation_id, values: {} }, {}, 'not u-10 and not xu-1'),
  ];
  const logReads = deliveryLogReads(tables.client, tables.log, mustRead);
  const stored = async ({ action_id, reference, at }: AttemptStart) =>
    (await logReads.eventAttempts(action_id, reference, at))[0];
  const personPorts = (steps?: number) => ({
    ...context(steps),
    deliveryRecords: logReads.deliveryRecords,
    unreadableRecords: () => [],
  });
  const person = { orgId, ids: ['u-1', 'ada@example.com', '198.51.100.7'] };
  return { personPorts, person, log, start, result, write, stored, erased, spared, began, kept_conversation, mine };
}

test("erases a person's payloads and responses in one organization, and keeps outcomes and everybody else's data", async () => {
  const { personPorts, person, write, stored, erased, spared, began, kept_conversation } = await aPerson();
  await atOnce(60, (index) => write({ user: `u-1${index}` }));
  const before = await Promise.all(spared.map(stored));
  const counts = {
    records_read: 69,
    records: 7,
    conversations: 1,
    counters: 1,
    changes: 0,
    unfinished_records: 0,
    cut_payloads: 0,
  };
  expect(await erasePerson(person, true, personPorts())).toEqual(counts);
  expect(await stored(erased[0] ?? raise())).toMatchObject({ payload: expect.stringContaining('u-1') });
  expect(await erasePerson(person, false, personPorts())).toEqual(counts);

  for (const attempt of erased) {
    expect(await stored(attempt)).toMatchObject({
      payload: null,
      response_excerpt: null,
      status: 500,
      state: 'failed',
    });
    expect(await stored(attempt)).toMatchObject({ erased_at: clock.now().toISOString(), latency_ms: 7 });
  }
  expect(await Promise.all(spared.map(stored))).toEqual(before);
  expect(await itemsNaming(`#CONVERSATION#${began.conversation_id}`)).toEqual([]);
  expect(await itemsNaming(`#CONVERSATION#${kept_conversation.conversation_id}`)).toHaveLength(2);
  expect(await itemsNaming('erase_person')).toEqual([expect.not.stringContaining('u-1')]);
  const nothing = { records: 0, conversations: 0, counters: 0, changes: 0 };
  expect(await erasePerson(person, false, personPorts())).toMatchObject(nothing);
});

test('no delivery restores what was erased: neither one in progress, nor a completion that comes late or twice', async () => {
  const { personPorts, person, log, start, result, stored, erased, write } = await aPerson();
  const old = start({ user: 'u-1' }, { at: '2026-02-20T05:06:00Z' });
  await log.claim(old);
  const form = { trigger: 'form', hasMessage: false, started_at: clock.now().toISOString() } as const;
  const inFunction = start({ user: 'u-1' }, form);
  await log.claim(inFunction);
  const retries: AttemptStart[] = [];
  const context = personPorts();
  const found = await erasePerson(person, false, {
    ...context,
    pause: async () => {
      await log.complete(old, result);
      await log.complete(inFunction, result);
      // The retry of an attempt that the first search has erased.
      retries.push(
        await write(
          { user: 'u-1' },
          { attempt: 2, reference: erased[0]?.reference ?? '', at: clock.now().toISOString() },
        ),
      );
    },
  });
  expect(found).toMatchObject({ records: 10, unfinished_records: 0 });
  await log.complete(erased[0] ?? raise(), result);
  await log.complete(inFunction, result);
  for (const attempt of [old, inFunction, ...retries, ...erased]) {
    expect(await stored(attempt)).toMatchObject({ payload: null, response_excerpt: null, state: 'failed' });
  }
  await log.claim(start({ user: 'u-1' }));
  expect(await erasePerson(person, false, personPorts())).toMatchObject({ records: 0, unfinished_records: 1 });
});

test('erases a person completely after interruptions at every step', async () => {
  const { personPorts, person, erased, stored } = await aPerson();
  expect(await interruptedAtEachStep((steps) => erasePerson(person, false, personPorts(steps)))).toBeGreaterThan(5);
  for (const attempt of erased) expect(await stored(attempt)).toMatchObject({ payload: null, response_excerpt: null });
});

test('a form that is sent while its conversation is erased leaves no item', async () => {
  const { personPorts, person, began, mine } = await aPerson();
  const kept = conversations(tables.client, tables.sorted, clock.now);
  const key = { siteId: mine.site_id, conversationId: began.conversation_id, clientKey: 'form' };
  await kept.claimSubmission(key, { formId: 'form_1', submissionId: randomUUID() }, clock.now());
  await erasePerson(person, false, personPorts());
  await kept.settleSubmission(key, true);
  expect(await itemsNaming(`#CONVERSATION#${began.conversation_id}`)).toEqual([]);
});

function raise(): never {
  throw new Error('There is no such attempt');
}

test('erases an assistant with all its items, and no item of another assistant', async () => {
  const { context, assistant, organization } = setUp();
  const { orgId } = await organization();
  const doomed = await assistant(orgId);
  const other = await assistant(orgId);
  const before = (await itemsNaming(other)).map(({ length }) => length);
  const all = await itemsNaming(doomed);
  expect(all.length).toBeGreaterThan(5);
  expect(await eraseAssistant(doomed, context())).toEqual({ actions: 2, log_records: 61, conversation_items: 2 });
  expect(await itemsNaming(doomed)).toEqual([]);
  expect((await itemsNaming(other)).map(({ length }) => length)).toEqual(before);
  await eraseOrganization(orgId, context());
  expect(await itemsNaming(orgId, doomed, other, 'of a visitor')).toEqual([]);
});

test('erases an organization completely after interruptions at every step', async () => {
  const { context, assistant, organization } = setUp();
  const { orgId, audited } = await organization();
  const sites = [await assistant(orgId), await assistant(orgId)];
  await createAssistant(orgId, { name: 'Audited', domain: '', hourly_rate_limit: 9 }, audited);
  expect(await interruptedAtEachStep((steps) => eraseOrganization(orgId, context(steps)))).toBeGreaterThan(7);
  expect(await itemsNaming(orgId, ...sites, 'of a visitor')).toEqual([]);
});
