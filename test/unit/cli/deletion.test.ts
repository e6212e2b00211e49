import { checkDeletions, type EraseContext, eraseAssistant, eraseOrganization } from '../../../cli/operations/erase.ts';
import { conversations } from '../../../src/adapters/dynamodb/conversations-table.ts';
import { erasure } from '../../../src/adapters/dynamodb/erasure.ts';
import { createAction, updateAction } from '../../../src/domain/actions/manage-actions.ts';
import {
  createAssistant,
  requireAssistant,
  updateAssistant,
} from '../../../src/domain/organizations/manage-assistants.ts';
import {
  anAssistant,
  anEventAction,
  OPERATOR_AUTHOR,
  ORG_ID,
  OTHER_SITE_ID,
  SITE_ID,
} from '../../fakes/configuration.ts';
import { CONFIGURATION, memoryConfiguration } from '../../fakes/configuration-store.ts';
import { mustRead } from '../../fakes/delivery.ts';
import { refusalOf } from '../../fakes/refusals.ts';
import { aConversation } from '../../fakes/widget.ts';

/** What is deleted stays deleted, also when others create and save while the deletion waits for requests in progress. */

const NOW = new Date('2026-03-04T05:06:07Z');
const MEMBER = { org_id: ORG_ID, sub: 'sub-1', email: 'ada@example.com', role: 'admin', created_at: '' } as const;
const ACTION = {
  trigger: 'Event',
  name: 'CRM',
  url: 'https://crm.example/',
  events: ['contact.created'],
} as const;

/** @param whileWaiting happens in the 30 seconds of a deletion */
async function setUp(whileWaiting: () => Promise<void> = async () => {}) {
  const configuration = memoryConfiguration();
  const { client, members, items, ...store } = configuration;
  let byte = 7;
  const context = {
    store,
    now: () => NOW,
    randomBytes: (size: number) => Buffer.alloc(size, byte++),
    sealSigningSecret: async () => 'sealed',
    author: { kind: 'admin' as const, membership: MEMBER },
  };
  await store.createOrganization({ org_id: ORG_ID, name: 'Shop', plan: 'free', created_at: '' });
  await store.createAssistant(anAssistant(), 9, OPERATOR_AUTHOR);
  await store.createAssistant(anAssistant({ site_id: OTHER_SITE_ID }), 9, OPERATOR_AUTHOR);
  await store.createAction(anEventAction(), OPERATOR_AUTHOR);
  await members.save(MEMBER);
  const tables = { configuration: CONFIGURATION, counters: 'c', conversations: 'v', deliveryLog: 'd' };
  const eraseContext: EraseContext = {
    ...context,
    author: OPERATOR_AUTHOR,
    members,
    erasure: erasure(client, tables, mustRead),
    step: async () => {},
    pause: whileWaiting,
  };
  const left = (id: string) => items().filter((item) => JSON.stringify(item).includes(id));
  return { context, client, items, store, members, eraseContext, left };
}

type System = Awaited<ReturnType<typeof setUp>>;

/** What somebody does who has read the assistant and the organization before the deletion began. */
const ATTEMPTS: Readonly<Record<string, (system: System) => Promise<unknown>>> = {
  'creates an Action': ({ context }) => createAction(anAssistant(), ACTION, context),
  'switches the assistant on': async ({ context }) =>
    updateAssistant(await requireAssistant(SITE_ID, context), { enabled: true }, context),
  'saves what was read before': ({ context }) => updateAssistant(anAssistant(), { enabled: true }, context),
  'saves an Action that was read before': ({ context }) => updateAction(anEventAction(), { enabled: true }, context),
};

describe.each(Object.entries(ATTEMPTS))('while an assistant is deleted, somebody %s', (_, attempt) => {
  test('and nothing of it is left', async () => {
    const refusals: unknown[] = [];
    const system: System = await setUp(async () => void refusals.push((await refusalOf(attempt(system))).status));
    await eraseAssistant(SITE_ID, system.eraseContext);
    expect(refusals).toEqual([expect.any(Number)]);
    expect(await system.store.findAssistant(SITE_ID)).toBeUndefined();
    expect((await system.store.listActions(ORG_ID)).actions).toEqual([]);
    // The audit trail is the organization's.
    expect(system.left(SITE_ID).filter(({ pk }) => !String(pk).startsWith('AUDIT#'))).toEqual([]);
    expect((await refusalOf(attempt(system))).status).toBeGreaterThanOrEqual(404);
  });
});

test.each<[string, (system: System) => Promise<unknown>]>([
  ['creates an assistant', ({ context }) => createAssistant(ORG_ID, { name: 'New', hourly_rate_limit: 1 }, context)],
  ['adds a member', ({ members }) => members.save({ ...MEMBER, sub: 'sub-2' })],
  ['creates an Action', ({ context }) => createAction(anAssistant(), ACTION, context)],
])('while an organization is deleted, somebody %s, and nothing is left', async (_, attempt) => {
  const refusals: unknown[] = [];
  const system: System = await setUp(async () => void refusals.push((await refusalOf(attempt(system))).code));
  const erased = await eraseOrganization(ORG_ID, system.eraseContext);
  expect(erased).toMatchObject({ assistants: 2, members: 1, actions: 1 });
  expect(refusals).toEqual([expect.stringMatching(/_not_found$/)]);
  expect(system.left(ORG_ID)).toEqual([]);
  expect((await refusalOf(attempt(system))).code).toMatch(/_not_found$/);
});

describe('a repeated idempotency key', () => {
  const keyed = ({ context }: System, at = NOW) => ({
    ...context,
    now: () => at,
    author: { kind: 'admin' as const, membership: MEMBER, creationKey: 'key-1' },
  });

  test('returns what it has created, and is refused once that is deleted', async () => {
    const system = await setUp();
    const created = await createAction(anAssistant(), ACTION, keyed(system));
    expect(await createAction(anAssistant(), ACTION, keyed(system))).toEqual(created);
    await system.store.deleteAction(created, OPERATOR_AUTHOR);
    expect((await refusalOf(createAction(anAssistant(), ACTION, keyed(system)))).code).toBe('idempotency_key_reused');
    expect((await system.store.listActions(ORG_ID)).actions).toHaveLength(1);
  });

  test('creates something else a day later', async () => {
    const system = await setUp();
    const created = await createAction(anAssistant(), ACTION, keyed(system));
    const later = new Date(NOW.getTime() + 24 * 3_600_000);
    const other = await createAction(anAssistant(), ACTION, keyed(system, later));
    expect(other.action_id).not.toBe(created.action_id);
  });

  test('gives no site the id of a deleted one', async () => {
    const system = await setUp();
    const settings = { name: 'New', hourly_rate_limit: 1 };
    const created = await createAssistant(ORG_ID, settings, keyed(system));
    await eraseAssistant(created.site_id, system.eraseContext);
    expect((await refusalOf(createAssistant(ORG_ID, settings, keyed(system)))).code).toBe('idempotency_key_reused');
  });
});

describe('a table that was restored', () => {
  const storedAgain = async (system: System) =>
    (await checkDeletions(system.eraseContext)).checkedDeletions.map(({ org_id, site_id = org_id, stored }) => [
      site_id,
      stored,
    ]);

  test('has deleted organizations again, which are listed and deleted again', async () => {
    const system = await setUp();
    const backup = structuredClone(system.items());
    await eraseOrganization(ORG_ID, system.eraseContext);
    expect((await storedAgain(system)).toSorted()).toEqual(
      [ORG_ID, SITE_ID, OTHER_SITE_ID].sort().map((id) => [id, false]),
    );
    for (const Item of backup) await system.client.putItem({ TableName: CONFIGURATION, Item });
    expect((await storedAgain(system)).map(([, stored]) => stored)).toEqual([true, true, true]);
    expect(await eraseOrganization(ORG_ID, system.eraseContext)).toMatchObject({
      assistants: 2,
      members: 1,
      actions: 1,
    });
    expect(system.left(ORG_ID)).toEqual([]);
    expect((await storedAgain(system)).map(([, stored]) => stored)).toEqual([false, false, false]);
  });

  test('has what cannot be read, which is listed too', async () => {
    const system = await setUp();
    const backup = structuredClone(system.items());
    await eraseOrganization(ORG_ID, system.eraseContext);
    for (const Item of backup) {
      await system.client.putItem({ TableName: CONFIGURATION, Item: { ...Item, assistant: {}, organization: {} } });
    }
    await system.client.putItem({ TableName: 'd', Item: { pk: 'DELETED', sk: 'ID#site_0', deletion: {} } });
    const { checkedDeletions, unreadable } = await checkDeletions(system.eraseContext);
    expect(checkedDeletions.map(({ stored }) => stored)).toEqual([true, true, true]);
    expect(unreadable.map(({ cause }) => cause.message)).toEqual([expect.stringContaining('DELETED / ID#site_0')]);
  });

  test('has conversations of a deleted assistant again, which are deleted again', async () => {
    const system = await setUp();
    await eraseAssistant(SITE_ID, system.eraseContext);
    const kept = conversations(system.client, 'v', () => NOW);
    await kept.saveConversation(aConversation({ site_id: SITE_ID }));
    expect(await eraseAssistant(SITE_ID, system.eraseContext)).toMatchObject({ actions: 0, conversation_items: 1 });
    expect((await refusalOf(eraseAssistant('site_unknown', system.eraseContext))).code).toBe('assistant_not_found');
    expect((await refusalOf(eraseAssistant(ORG_ID, system.eraseContext))).code).toBe('assistant_not_found');
  });
});

test('a deletion that was interrupted at any step is continued, and shows nothing meanwhile', async () => {
  for (let steps = 0; ; steps++) {
    const system = await setUp();
    let left = steps;
    const step = async () => {
      if (left-- === 0) throw new Error('interrupted');
    };
    const done = await eraseOrganization(ORG_ID, { ...system.eraseContext, step }).then(
      () => true,
      () => false,
    );
    if (!done) await eraseOrganization(ORG_ID, system.eraseContext);
    expect(system.left(ORG_ID)).toEqual([]);
    if (done) return expect(steps).toBeGreaterThan(5);
  }
});

describe('an organization of which a part cannot be read', () => {
  const PARTS: readonly (readonly [
    part: string,
    ofItem: (sk: string, site: string) => boolean,
    left: readonly string[],
  ])[] = [
    ['an assistant', (sk, item) => sk === 'ASSISTANT' && item.includes(OTHER_SITE_ID), [OTHER_SITE_ID]],
    ['an Action', (sk) => sk.startsWith('ACTION#'), [SITE_ID]],
  ];
  test.each(PARTS)(
    '(%s) loses all others, is told which one, and is erased once that is corrected',
    async (_, isPart, left) => {
      const system = await setUp();
      const part = system.items().find((item) => isPart(String(item.sk), JSON.stringify(item)));
      const malformed = { assistant: {}, action: { site_id: SITE_ID, trigger: 'Event', enabled: true, events: [] } };
      await system.client.putItem({ TableName: CONFIGURATION, Item: { ...part, ...malformed } });
      await expect(eraseOrganization(ORG_ID, system.eraseContext)).rejects.toThrow(`${part?.pk} / ${part?.sk}`);
      const { assistants, unreadable } = await system.store.listAssistants(ORG_ID);
      expect([...assistants, ...unreadable].map(({ site_id }) => site_id)).toEqual(left);
      expect(assistants.every(({ deleting }) => deleting)).toBe(true);
      expect(await system.members.list(ORG_ID)).toEqual({ memberships: [], unreadable: [] });
      await system.client.putItem({ TableName: CONFIGURATION, Item: part ?? {} });
      await eraseOrganization(ORG_ID, system.eraseContext);
      expect(system.left(ORG_ID)).toEqual([]);
    },
  );
});

test('a membership that cannot be read is erased with its organization', async () => {
  const system = await setUp();
  const membership = system.items().find(({ sk }) => String(sk).startsWith('MEMBER#'));
  await system.client.putItem({ TableName: CONFIGURATION, Item: { ...membership, membership: {} } });
  expect(await eraseOrganization(ORG_ID, system.eraseContext)).toMatchObject({ members: 1 });
  expect(system.left(ORG_ID)).toEqual([]);
});
