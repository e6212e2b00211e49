import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations.ts';
import { deliveryLog } from '../../../../src/adapters/dynamodb/delivery-log.ts';
import { erasure } from '../../../../src/adapters/dynamodb/erasure.ts';
import { members } from '../../../../src/adapters/dynamodb/members.ts';
import { recordedStores } from '../../../../src/adapters/dynamodb/recorded-store.ts';
import { createAction, deleteAction } from '../../../../src/domain/actions/manage-actions.ts';
import { type ErasePorts, eraseAssistant, eraseOrganization } from '../../../../src/domain/operations/erase.ts';
import { createAssistant } from '../../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../../src/domain/organizations/manage-organizations.ts';
import { usageLogId } from '../../../../src/domain/usage/report-usage.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';
import { startTables, type TestTables } from './tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

/** Thrown at a step, like an interruption by Ctrl-C. */
class Interrupted extends Error {}

const clock = new FrozenClock();
const randomBytes = countingBytes();

function setUp() {
  const { client, sorted } = tables;
  const names = { configuration: sorted, conversations: sorted, deliveryLog: sorted };
  const management = {
    store: configurationStore(client, sorted),
    now: clock.now,
    randomBytes,
    sealSigningSecret: async () => 'sealed',
  };
  const log = deliveryLog(client, sorted, { retentionDays: 30, now: clock.now });
  const kept = conversations(client, sorted, clock.now);
  const memberships = members(client, sorted);
  /** @param steps after which the operator presses Ctrl-C */
  const ports = (steps = Number.POSITIVE_INFINITY): ErasePorts => {
    let left = steps;
    const step = async () => {
      if (left-- <= 0) throw new Interrupted();
    };
    return { ...management, members: memberships, erasure: erasure(client, names), step, pause: step };
  };

  const record = (action_id: string, spread = false) =>
    log.claim({
      action_id,
      spread,
      at: '2026-03-04T05:06:00Z',
      reference: randomUUID(),
      attempt: 1,
      trigger: 'event',
      trigger_ref: 'message.sent',
      payload: 'of a visitor',
      started_at: '2026-03-04T05:06:00Z',
      message_id: 'message',
    });

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
    for (const { action_id } of [live, gone]) for (let i = 0; i < 30; i++) await record(action_id, i % 2 === 1);
    await record(usageLogId(site_id));
    await deleteAction(gone.action_id, management);
    const conversation_id = randomUUID();
    const started_at = clock.now().toISOString();
    await kept.saveConversation({
      site_id,
      conversation_id,
      session_id: 's',
      visitor_id: 'v',
      user_id: null,
      started_at,
    });
    await kept.countCall({ siteId: site_id, conversationId: conversation_id, actionId: live.action_id }, 5);
    return site_id;
  };
  const organization = async () => {
    const { org_id } = await createOrganization({ name: 'Corner Shop', plan: 'paid' }, management);
    const by = { org_id, sub: `sub-of-${org_id}`, email: 'ada@example.com', role: 'admin', created_at: 'x' } as const;
    await memberships.save(by);
    const recorded = recordedStores(client, { configuration: sorted, counters: tables.unsorted }, clock.now).recorded(
      by,
    );
    return { orgId: org_id, audited: { ...management, store: recorded } };
  };
  return { ports, assistant, organization, record };
}

/** Returns every item that contains one of these texts. */
async function itemsNaming(...ids: readonly string[]): Promise<string[]> {
  const { Items = [] } = await tables.documents.send(
    new ScanCommand({ TableName: tables.sorted, ConsistentRead: true }),
  );
  return Items.map((item) => JSON.stringify(item)).filter((text) => ids.some((id) => text.includes(id)));
}

const counted = (text: string) => text.length;

test('erases an assistant with all its items, and no item of another assistant', async () => {
  const { ports, assistant, organization } = setUp();
  const { orgId } = await organization();
  const doomed = await assistant(orgId);
  const other = await assistant(orgId);
  const before = (await itemsNaming(other)).map(counted);
  const all = await itemsNaming(doomed);
  expect(all.length).toBeGreaterThan(5);
  expect(await eraseAssistant(doomed, ports())).toEqual({ actions: 2, log_records: 61, conversation_items: 2 });
  expect(await itemsNaming(doomed)).toEqual([]);
  expect((await itemsNaming(other)).map(counted)).toEqual(before);
  await eraseOrganization(orgId, ports());
  expect(await itemsNaming(orgId, doomed, other, 'of a visitor')).toEqual([]);
});

test('erases an organization completely after interruptions at every step', async () => {
  const { ports, assistant, organization } = setUp();
  const { orgId, audited } = await organization();
  const sites = [await assistant(orgId), await assistant(orgId)];
  await createAssistant(orgId, { name: 'Audited', domain: '', hourly_rate_limit: 9 }, audited);
  let interruptions = 0;
  // Every run makes one step more than the run before it, so that each step is interrupted once.
  for (let steps = 0; ; steps++) {
    try {
      await eraseOrganization(orgId, ports(steps));
      break;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      interruptions += 1;
    }
  }
  expect(interruptions).toBeGreaterThan(7);
  expect(await itemsNaming(orgId, ...sites, 'of a visitor')).toEqual([]);
});
