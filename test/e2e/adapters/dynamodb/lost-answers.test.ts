import { randomBytes, randomUUID } from 'node:crypto';
import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import { members } from '../../../../src/adapters/dynamodb/memberships.ts';
import type { Membership } from '../../../../src/contract/organizations.ts';
import { newId } from '../../../../src/domain/sources.ts';
import { aFormAction, anAssistant, anEventAction, SITE_ID } from '../../../fakes/configuration.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { tablesOfFile } from './tables.ts';
import { through } from './through.ts';

/**
 * DynamoDB makes each write, and its answer is lost. The client sends the write again, which then meets what the first one stored.
 * `delivery-log-table.test.ts` has the same test for the claims of attempts.
 */

const WRITES = /^(PutItem|UpdateItem|TransactWriteItems)$/;

const tables = await tablesOfFile();
const sent = new Set<string>();
const lossy = await through(tables.access, ({ operation, body }) => {
  const isFirst = WRITES.test(operation) && !sent.has(body);
  sent.add(body);
  return isFirst ? 'lost' : undefined;
});
afterAll(lossy.stop);
let before = 0;
beforeEach(() => {
  before = lossy.calls.length;
});
/** The number of writes that this test has sent twice. */
const repeated = () => {
  const writes = lossy.calls.slice(before).filter(({ operation }) => WRITES.test(operation));
  const bodies = writes.map(({ body }) => body);
  return bodies.length - new Set(bodies).size;
};

const clock = new FrozenClock();
const store = () => configurationStore(lossy.client, tables.sorted);
const anOrganization = () => ({
  org_id: newId('org', randomBytes),
  name: 'Acme',
  plan: 'paid' as const,
  created_at: '2026-01-01T00:00:00.000Z',
});

test('an organization, an assistant and Actions are created once', async () => {
  const organization = anOrganization();
  const { org_id } = organization;
  await store().createOrganization(organization);
  expect(await store().findOrganization(org_id)).toEqual(organization);

  const site_id = newId('site', randomBytes);
  const assistant = anAssistant({ site_id, org_id });
  expect(await store().createAssistant(assistant, 100)).toBe('created');
  expect(await store().listAssistants(org_id)).toEqual([assistant]);

  const ids = () => ({ action_id: newId('act', randomBytes), org_id, site_id });
  const actions = [anEventAction(ids()), aFormAction(ids())];
  for (const action of actions) expect(await store().createAction(action)).toBe('created');
  expect((await store().listActions(org_id)).actions).toHaveLength(2);
  const { Item } = await tables.client.get({ TableName: tables.sorted, Key: { pk: `ORG#${org_id}`, sk: 'ORG' } });
  expect(Item?.action_count).toBe(2);
  expect(repeated()).toBe(4);
});

test('an organization whose id is in use is refused, and stays as it is', async () => {
  const organization = anOrganization();
  await store().createOrganization(organization);
  await expect(store().createOrganization({ ...organization, name: 'Another' })).rejects.toThrow('is in use');
  expect(await store().findOrganization(organization.org_id)).toEqual(organization);
});

test('a creation and a change in the dashboard are made and recorded once, and are not stale', async () => {
  const organization = anOrganization();
  const { org_id, created_at } = organization;
  await store().createOrganization(organization);
  const by: Membership = { org_id, sub: 'sub', email: 'a@a.example', role: 'admin', created_at };
  const author = { by, at: clock.now() };
  const assistant = anAssistant({ site_id: newId('site', randomBytes), org_id });
  expect(await store().createAssistant(assistant, 100, author)).toBe('created');
  const next = { ...assistant, name: 'Renamed', version: assistant.version + 1 };
  expect(await store().replaceAssistant(assistant, next, author)).toBe(true);
  expect((await store().auditPage(org_id)).records).toHaveLength(2);
  expect(repeated()).toBe(3);
});

test('a membership is stored', async () => {
  const membership: Membership = {
    org_id: newId('org', randomBytes),
    ...{ sub: 'sub', email: 'a@a.example', role: 'admin', created_at: '2026-01-01T00:00:00.000Z' },
  };
  await members(lossy.client, tables.sorted).save(membership);
  expect(await members(tables.client, tables.sorted).list(membership.org_id)).toEqual([membership]);
  expect(repeated()).toBe(1);
});

test('a form submission is claimed, also again after a failure', async () => {
  const { claimSubmission, settleSubmission } = conversations(lossy.client, tables.sorted, clock.now);
  const key = { siteId: SITE_ID, conversationId: randomUUID(), clientKey: 'key', formId: 'act_1' };
  expect(await claimSubmission(key, 'first', clock.now())).toEqual({ kind: 'claimed', submissionId: 'first' });
  expect(await claimSubmission(key, 'second', clock.now())).toEqual({ kind: 'in_progress' });
  await settleSubmission(key, false);
  expect(await claimSubmission(key, 'third', clock.now())).toEqual({ kind: 'claimed', submissionId: 'first' });
  expect(repeated()).toBe(4);
});
