import { globSync, readFileSync } from 'node:fs';
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { configurationReads } from '../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../src/adapters/dynamodb/configuration-store.ts';
import { subscriptionReads } from '../../../src/adapters/dynamodb/subscriptions.ts';
import type { ActionList } from '../../../src/domain/organizations/store.ts';
import { aFormAction, anAiAction, anEventAction } from '../../fakes/configuration.ts';
import { FrozenClock } from '../../fakes/sources.ts';
import { startTables, type TestTables } from '../adapters/dynamodb/tables.ts';

/**
 * Finds Actions that a released version stored, without a migration, and lets its code find the Actions of today's code. The released
 * versions know neither `subscriptions_version` nor ids that tell the trigger.
 */
const FOLDERS = globSync('test/fixtures/released/*').sort();

const storedFile = z.object({
  tables: z.object({ ConfigurationTable: z.array(z.record(z.string(), z.custom<AttributeValue>())) }),
});
const reader = z.object({
  configurationReads:
    z.custom<
      (
        client: object,
        table: string,
      ) => { readonly actionsOf: (orgId: string, trigger?: string) => Promise<ActionList> }
    >(),
});
const stores = z.object({ dynamoDb: z.custom<(access: TestTables['access']) => object>() });

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables?.stop());

test('a released version has stored a configuration', () => {
  expect(FOLDERS).toContain('test/fixtures/released/0.1.0');
});

describe.each(FOLDERS)('%s', (folder) => {
  const clock = new FrozenClock();
  const reads = () => configurationReads(tables.client, tables.sorted);
  const old = async () => {
    const [{ configurationReads: read }, { dynamoDb }] = await Promise.all([
      import(`../../../${folder}/reader.mjs`).then((module) => reader.parse(module)),
      import(`../../../${folder}/stores.mjs`).then((module) => stores.parse(module)),
    ]);
    return read(dynamoDb(tables.access), tables.sorted);
  };
  let stored: ActionList['actions'] = [];
  beforeAll(async () => {
    const { tables: written } = storedFile.parse(JSON.parse(readFileSync(`${folder}/stored.json`, 'utf8')));
    const items = written.ConfigurationTable;
    const client = new DynamoDBClient(tables.access);
    for (let start = 0; start < items.length; start += 25) {
      const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tables.sorted]: requests } }));
    }
    client.destroy();
    const orgIds = new Set(items.flatMap(({ pk }) => /^ORG#(.*)/.exec(pk?.S ?? '')?.[1] ?? []));
    const store = configurationStore(tables.client, tables.sorted);
    stored = (await Promise.all([...orgIds].map((orgId) => store.listActions(orgId)))).flatMap(
      ({ actions }) => actions,
    );
  });

  test('today’s code finds its subscriptions, forms and tools at once', async () => {
    expect(new Set(stored.map(({ trigger }) => trigger)).size).toBe(3);
    for (const action of stored) {
      const { action_id, org_id, site_id, trigger } = action;
      const read = subscriptionReads(tables.client, tables.sorted, clock.now);
      const found: Record<typeof trigger, () => Promise<readonly { readonly action_id: string }[]>> = {
        Event: async () => (await read(org_id)).subscribers,
        'AI-decided': () => reads().toolsOf(site_id),
        Form: async () => (await reads().findForms(site_id))(),
      };
      const ids = (await found[trigger]()).map((one) => one.action_id);
      expect(ids.includes(action_id)).toBe(trigger === 'Event' || action.enabled);
    }
  });

  test('after a rollback, it finds the Actions that today’s code created, and those that today’s code changed', async () => {
    const [{ org_id, site_id } = { org_id: '', site_id: '' }] = stored;
    const store = configurationStore(tables.client, tables.sorted);
    const organization = await store.findOrganization(org_id);
    const restrictions = {
      suspended: organization?.suspended,
      daily_outbound_quota: organization?.daily_outbound_quota,
    };
    const created = [
      anEventAction({ action_id: 'act_new', org_id, site_id, ...restrictions }),
      aFormAction({ action_id: 'form_new', org_id, site_id, slug: 'new-form', ...restrictions }),
      anAiAction({ action_id: 'tool_new', org_id, site_id, slug: 'new-tool', ...restrictions }),
    ];
    for (const action of created) expect(await store.createAction(action)).toBe('created');
    const [event] = created;
    if (event === undefined) throw new Error('There is one');
    expect(await store.replaceAction(event, { ...event, name: 'Renamed', version: 2 })).toBe('replaced');
    const found = await (await old()).actionsOf(org_id);
    const actions = 'actions' in found ? found.actions : found;
    const named = new Map(actions.map(({ action_id, name }) => [action_id, name]));
    expect(named.get('act_new')).toBe('Renamed');
    expect([named.has('form_new'), named.has('tool_new')]).toEqual([true, true]);
  });
});
