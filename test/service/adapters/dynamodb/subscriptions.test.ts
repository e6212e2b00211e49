import { randomBytes } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { subscriptionReads } from '../../../../src/adapters/dynamodb/configuration-reads.ts';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import type { EventAction } from '../../../../src/contract/actions.ts';
import { newEntityId } from '../../../../src/domain/sources.ts';
import { aFormAction, anAiAction, anAssistant, anEventAction, OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { recorded, tablesOfFile } from './tables.ts';

const tables = await tablesOfFile();
const store = configurationStore(tables.client, tables.sorted);

/** An organization with one Event Action, and a container of the event-router. */
async function setUp() {
  const org_id = newEntityId('org', randomBytes);
  await store.createOrganization({ org_id, name: 'Acme', plan: 'paid', created_at: '2026-01-01T00:00:00.000Z' });
  const site_id = newEntityId('site', randomBytes);
  await store.createAssistant(anAssistant({ org_id, site_id }), 1, OPERATOR_AUTHOR);
  const mine = () => ({ action_id: newEntityId('act', randomBytes), org_id, site_id });
  const action = anEventAction(mine());
  await store.createAction(action, OPERATOR_AUTHOR);
  const clock = new FrozenClock();
  const { client, calls } = recorded(tables.client);
  const read = subscriptionReads(client, tables.sorted, clock.now);
  return {
    org_id,
    mine,
    action,
    clock,
    /** Returns the enabled subscribers, and how often the Actions were read for them. */
    subscribers: async () => {
      calls.length = 0;
      const { subscribers } = await read(org_id);
      const lists = calls.filter((name) => name === 'queryPages').length;
      return {
        ids: subscribers
          .filter(({ enabled }) => enabled)
          .map(({ action_id }) => action_id)
          .sort(),
        lists,
      };
    },
  };
}

/** Replaces an Action without raising the version of the organization's subscriptions. */
async function replaceByHand(next: EventAction) {
  await tables.documents.send(
    new UpdateCommand({
      TableName: tables.sorted,
      Key: { pk: `ORG#${next.org_id}`, sk: `ACTION#${next.action_id}` },
      UpdateExpression: 'SET #action = :next',
      ExpressionAttributeNames: { '#action': 'action' },
      ExpressionAttributeValues: { ':next': next },
    }),
  );
}

test('are kept until an Event Action changes', async () => {
  const { action, mine, subscribers } = await setUp();
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 1 });
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 0 });

  const off = { ...action, enabled: false, version: 2 };
  expect(await store.replaceAction(action, off, OPERATOR_AUTHOR)).toBe('replaced');
  expect(await subscribers()).toEqual({ ids: [], lists: 1 });

  const second = anEventAction(mine());
  await store.createAction(second, OPERATOR_AUTHOR);
  await store.deleteAction(off, OPERATOR_AUTHOR);
  expect(await subscribers()).toEqual({ ids: [second.action_id], lists: 1 });
  expect(await subscribers()).toEqual({ ids: [second.action_id], lists: 0 });
});

test('are those of Event Actions only, whatever else the organization stores', async () => {
  const { action, mine, subscribers } = await setUp();
  await store.createAction(aFormAction(mine()), OPERATOR_AUTHOR);
  await store.createAction(anAiAction({ ...mine(), action_id: newEntityId('tool', randomBytes) }), OPERATOR_AUTHOR);
  expect((await subscribers()).ids).toEqual([action.action_id]);
});

test('an Action that is written by hand is seen within a minute', async () => {
  const { action, clock, subscribers } = await setUp();
  await subscribers();
  await replaceByHand({ ...action, enabled: false, version: 2 });
  clock.advance(60_000);
  expect(await subscribers()).toEqual({ ids: [], lists: 1 });
});

test('are read each time while the organization has no item, or while an Action cannot be read', async () => {
  const { action, org_id, subscribers } = await setUp();
  await tables.client.putItem({ TableName: tables.sorted, Item: { pk: `ORG#${org_id}`, sk: 'ACTION#act_broken' } });
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 1 });
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 1 });
  await tables.client.delete({ TableName: tables.sorted, Key: { pk: `ORG#${org_id}`, sk: 'ACTION#act_broken' } });
  await tables.client.delete({ TableName: tables.sorted, Key: { pk: `ORG#${org_id}`, sk: 'ORG' } });
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 1 });
  expect(await subscribers()).toEqual({ ids: [action.action_id], lists: 1 });
});
