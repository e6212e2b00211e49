import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { actionsTogether } from '../../../../src/adapters/dynamodb/actions-together.ts';
import type { DynamoDb } from '../../../../src/adapters/dynamodb/client.ts';
import { KEYS } from '../../../../src/adapters/dynamodb/configuration-keys.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { anAssistant, anEventAction } from '../../../fakes/configuration.ts';
import { atOnce, startTables, type TestTables } from './tables.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

type BatchGet = DynamoDb['batchGet'];

/** The number of keys of each call. */
function watched(batchGet: BatchGet = (input) => tables.client.batchGet(input)) {
  const calls: number[] = [];
  const client: DynamoDb = {
    ...tables.client,
    batchGet: (input) => {
      calls.push(input.Keys.length);
      return batchGet(input);
    },
  };
  return { calls, find: actionsTogether(client, tables.sorted) };
}

async function stored(org_id: string, count: number) {
  const store = configurationStore(tables.client, tables.sorted);
  await store.createOrganization({ org_id, name: 'Acme', plan: 'paid', created_at: '2026-01-01T00:00:00.000Z' });
  await store.createAssistant(anAssistant({ site_id: `site_${org_id}`, org_id }), 100);
  const actions = Array.from({ length: count }, (_, i) => anEventAction({ org_id, action_id: `act_${org_id}_${i}` }));
  await Promise.all(actions.map((action) => store.createAction(action)));
  return actions;
}

test('reads the Actions that are requested in one turn in one call, each once', async () => {
  const [first, second] = [await stored('org_one', 3), await stored('org_two', 2)];
  const { calls, find } = watched();
  const actions = [...first, ...second, ...first];
  const found = await Promise.all(actions.map(({ org_id, action_id }) => find(org_id, action_id)));
  expect(found).toEqual(actions);
  expect(calls).toEqual([5]);
});

test('reads Actions that are requested later again, without a cache', async () => {
  const [action] = await stored('org_later', 1);
  if (action === undefined) throw new Error('There is no Action');
  const { calls, find } = watched();
  expect(await find(action.org_id, action.action_id)).toEqual(action);
  await configurationStore(tables.client, tables.sorted).deleteAction(action);
  expect(await find(action.org_id, action.action_id)).toBeUndefined();
  expect(calls).toEqual([1, 1]);
});

test('does not find a missing Action or one of another organization among others', async () => {
  const [action] = await stored('org_some', 1);
  const { find } = watched();
  const [known, unknown, foreign] = await Promise.all([
    find('org_some', 'act_org_some_0'),
    find('org_some', 'act_nobody'),
    find('org_other', 'act_org_some_0'),
  ]);
  expect([known, unknown, foreign]).toEqual([action, undefined, undefined]);
});

test('needs a second call for more than a hundred Actions', async () => {
  const { calls, find } = watched();
  await atOnce(101, (i) => find('org_many', `act_${i}`));
  expect(calls).toEqual([100, 1]);
});

test('reads only the keys again that DynamoDB did not process', async () => {
  const actions = await stored('org_slow', 3);
  let first = true;
  const { calls, find } = watched(async (input) => {
    if (!first) return tables.client.batchGet(input);
    first = false;
    const answer = await tables.client.batchGet({ ...input, Keys: input.Keys.slice(0, 1) });
    return { ...answer, UnprocessedKeys: input.Keys.slice(1) };
  });
  expect(await Promise.all(actions.map(({ org_id, action_id }) => find(org_id, action_id)))).toEqual(actions);
  expect(calls).toEqual([3, 2]);
});

test('fails when keys stay unprocessed or a call fails, and reads again for the next request', async () => {
  const never = watched(async ({ Keys }) => ({ Items: [], UnprocessedKeys: Keys }));
  await expect(never.find('org', 'act')).rejects.toThrow('DynamoDB did not process 1 items');
  expect(never.calls).toEqual([1, 1, 1, 1]);
  let fails = true;
  const away = watched(async () => {
    if (fails) throw new Error('not available');
    return { Items: [], UnprocessedKeys: [] };
  });
  const settled = await Promise.allSettled([away.find('org', 'act_1'), away.find('org', 'act_2')]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await away.find('org', 'act_1')).toBeUndefined();
});

test('fails only the read of an Action that newer code stored, and no other read of the batch', async () => {
  const actions = await stored('org_newer', 2);
  const newer = KEYS.action('org_newer', 'act_of_later');
  await tables.documents.send(new PutCommand({ TableName: tables.sorted, Item: { ...newer, v: 2 } }));
  const { find } = watched();
  const asked = ['act_org_newer_0', 'act_of_later', 'act_org_newer_1'].map((id) => find('org_newer', id));
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: actions[0] },
    { reason: { name: 'NewerItem' } },
    { value: actions[1] },
  ]);
});
