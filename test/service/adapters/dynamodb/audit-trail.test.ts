import { randomBytes } from 'node:crypto';
import type { DynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { erasure } from '../../../../src/adapters/dynamodb/erasure.ts';
import { members } from '../../../../src/adapters/dynamodb/memberships.ts';
import { auditRecordOf } from '../../../../src/domain/organizations/changes.ts';
import { newEntityId } from '../../../../src/domain/sources.ts';
import { aFormAction, anAssistant, OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { mustRead } from '../../../fakes/delivery.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../../../fakes/tables.ts';
import { tablesOfFile } from './tables.ts';

const engine = await tablesOfFile();
const STORES = {
  'the engine': { client: engine.client, table: engine.sorted },
  'tables in memory': { client: memoryDynamoDb(new MemoryTables()), table: 'configuration' },
} as const;

const { now } = new FrozenClock();
const context = { author: OPERATOR_AUTHOR, now };

/** Returns a client with which another record gets the key of the first audit record before it is written. */
function withTakenKey(client: DynamoDb): DynamoDb {
  let isTaken = false;
  return {
    ...client,
    transactWrite: async (writes) => {
      const audit = writes.find(({ Put }) => String(Put?.Item?.pk).startsWith('AUDIT#'))?.Put;
      if (audit !== undefined && !isTaken) {
        isTaken = true;
        await client.putItem({ TableName: String(audit.TableName), Item: { ...audit.Item } });
      }
      return client.transactWrite(writes);
    },
  };
}

/** Creates an organization with an assistant and two forms, of which the trail says nothing. */
async function organization({ client, table }: (typeof STORES)[keyof typeof STORES]) {
  const [org_id, site_id] = [newEntityId('org', randomBytes), newEntityId('site', randomBytes)];
  const before = configurationStore(client, table);
  await before.createOrganization({ org_id, name: 'Acme', plan: 'paid', created_at: now().toISOString() });
  const assistant = anAssistant({ site_id, org_id });
  await before.createAssistant(assistant, 100, OPERATOR_AUTHOR);
  const form = (slug: string) =>
    aFormAction({ action_id: newEntityId('form', randomBytes), org_id, site_id, slug, name: slug });
  const action = form('contact');
  for (const one of [action, form('order')]) await before.createAction(one, OPERATOR_AUTHOR);
  const names = { configuration: table, counters: table, conversations: table, deliveryLog: table };
  const { auditItems, replaceAudit } = erasure(client, names, mustRead);
  const trail = async () => {
    const times: string[] = [];
    for await (const { record } of auditItems(org_id)) times.push(record.at);
    return times;
  };
  const competing = withTakenKey(client);
  const [store, directory] = [configurationStore(competing, table, now), members(competing, table)];
  return { org_id, assistant, action, form, store, directory, trail, auditItems, replaceAudit };
}

type Change = (of: Awaited<ReturnType<typeof organization>>) => Promise<unknown>;
type Case = readonly [name: string, outcome: unknown, isMade: boolean, change: Change];
const membershipOf = (org_id: string) => ({
  ...{ org_id, sub: 'sub-1', email: 'ada@shop.example', role: 'admin' as const, created_at: now().toISOString() },
});
const memberRecord = (org_id: string, operation: 'add_member' | 'remove_member') =>
  auditRecordOf(operation, { org_id, entity_id: 'sub-1' }, context);

/** Every change with a record; made, and refused by another condition. */
const CASES: readonly Case[] = [
  [
    ...(['changeOrganization', undefined, true] as const),
    ({ store, org_id }) => store.changeOrganization(org_id, { name: 'B' }, OPERATOR_AUTHOR),
  ],
  [
    ...(['createAssistant', 'created', true] as const),
    ({ store, assistant }) => store.createAssistant({ ...assistant, site_id: 'site_new' }, 100, OPERATOR_AUTHOR),
  ],
  [
    ...(['createAssistant of an id in use', 'exists', false] as const),
    ({ store, assistant }) => store.createAssistant(assistant, 100, OPERATOR_AUTHOR),
  ],
  [
    ...(['createAssistant above the limit', 'organization_refused', false] as const),
    ({ store, assistant }) => store.createAssistant({ ...assistant, site_id: 'site_more' }, 1, OPERATOR_AUTHOR),
  ],
  [
    ...(['replaceAssistant', true, true] as const),
    ({ store, assistant: one }) => store.replaceAssistant(one, { ...one, name: 'B', version: 2 }, OPERATOR_AUTHOR),
  ],
  [
    ...(['replaceAssistant of an old version', false, false] as const),
    ({ store, assistant: one }) =>
      store.replaceAssistant({ ...one, version: 7 }, { ...one, name: 'B' }, OPERATOR_AUTHOR),
  ],
  [
    ...(['createAction', 'created', true] as const),
    ({ store, form }) => store.createAction(form('new'), OPERATOR_AUTHOR),
  ],
  [
    ...(['createAction with a slug in use', 'slug_taken', false] as const),
    ({ store, form }) => store.createAction(form('contact'), OPERATOR_AUTHOR),
  ],
  [
    ...(['createAction of an id in use', 'exists', false] as const),
    ({ store, action }) => store.createAction(action, OPERATOR_AUTHOR),
  ],
  [
    ...(['replaceAction', 'replaced', true] as const),
    ({ store, action }) => store.replaceAction(action, { ...action, name: 'B', version: 2 }, OPERATOR_AUTHOR),
  ],
  [
    ...(['replaceAction with a slug in use', 'slug_taken', false] as const),
    ({ store, action }) => store.replaceAction(action, { ...action, slug: 'order', version: 2 }, OPERATOR_AUTHOR),
  ],
  [...(['deleteAction', true, true] as const), ({ store, action }) => store.deleteAction(action, OPERATOR_AUTHOR)],
  [
    ...(['deleteAction of an old version', false, false] as const),
    ({ store, action }) => store.deleteAction({ ...action, version: 7 }, OPERATOR_AUTHOR),
  ],
  [
    ...(['members.save', undefined, true] as const),
    ({ directory, org_id }) => directory.save(membershipOf(org_id), memberRecord(org_id, 'add_member')),
  ],
  [
    ...(['members.remove', undefined, true] as const),
    ({ directory, org_id }) => directory.remove(org_id, 'sub-1', memberRecord(org_id, 'remove_member')),
  ],
  [
    ...(['record', undefined, true] as const),
    ({ store, org_id }) => store.record(auditRecordOf('export_data', { org_id, entity_id: org_id }, context)),
  ],
];

const AT = now().toISOString();
const NEXT_AT = new Date(now().getTime() + 1).toISOString();
const onEachStore = Object.values(STORES).flatMap((store, index) =>
  CASES.map(([name, ...rest]) => [`${name} on ${Object.keys(STORES)[index]}`, store, ...rest] as const),
);

test.each(onEachStore)(
  'beside a record of the same operation, entity and millisecond: %s',
  async (_, store, outcome, isMade, change) => {
    const existing = await organization(store);
    expect(await change(existing)).toEqual(outcome);
    expect(await existing.trail()).toEqual(isMade ? [AT, NEXT_AT] : [AT]);
  },
);

test.each(Object.entries(STORES))('erasing a person replaces no other record, on %s', async (_, store) => {
  const { org_id, store: configuration, auditItems, replaceAudit, trail } = await organization(store);
  for (const entity_id of ['sub-1', 'sub-2'])
    await configuration.record(auditRecordOf('add_member', { org_id, entity_id }, context));
  const before = await trail();
  for await (const item of auditItems(org_id)) {
    if (item.record.entity_id !== 'erased') await replaceAudit(item, { ...item.record, entity_id: 'erased' });
  }
  expect(before).toHaveLength(3);
  const keys: string[] = [];
  for await (const { sk } of auditItems(org_id)) keys.push(sk);
  expect(keys).toEqual([expect.stringContaining('#erased#'), ...Array(2).fill(expect.stringContaining('#erased#'))]);
});
