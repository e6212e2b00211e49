import { configurationStore } from '../../../../src/adapters/dynamodb/configuration-store.ts';
import { conversations } from '../../../../src/adapters/dynamodb/conversations-table.ts';
import { ORG_ID, SITE_ID } from '../../../fakes/configuration.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { MemoryTables, memoryDynamoDb } from '../../../fakes/tables.ts';

/**
 * DynamoDB makes each write, and its answer is lost. The client sends the write again, which then meets what the first one stored.
 * DynamoDB recognizes a transaction that it has made (test/service/adapters/dynamodb/client.test.ts), so only other writes are made twice.
 */
const twice = memoryDynamoDb(new MemoryTables(), async (_, call, repeatable) => {
  const first = call();
  return repeatable ? call() : first;
});

test('an organization is created, and one whose id is in use is refused and stays as it is', async () => {
  const store = configurationStore(twice, 'configuration');
  const organization = { org_id: ORG_ID, name: 'Acme', plan: 'paid', created_at: '2026-01-01T00:00:00.000Z' } as const;
  await store.createOrganization(organization);
  await expect(store.createOrganization({ ...organization, name: 'Another' })).rejects.toThrow('is in use');
  expect(await store.findOrganization(ORG_ID)).toEqual(organization);
});

test('a form submission is claimed, also again after a failure', async () => {
  const { now } = new FrozenClock();
  const { claimSubmission, settleSubmission } = conversations(twice, 'conversations', now);
  const key = { siteId: SITE_ID, conversationId: 'c-1', clientKey: 'key' };
  expect(await claimSubmission(key, { formId: 'act_1', submissionId: 'first' }, now())).toEqual({
    kind: 'claimed',
    submissionId: 'first',
  });
  expect(await claimSubmission(key, { formId: 'act_1', submissionId: 'second' }, now())).toEqual({
    kind: 'in_progress',
  });
  await settleSubmission(key, false);
  expect(await claimSubmission(key, { formId: 'act_1', submissionId: 'third' }, now())).toEqual({
    kind: 'claimed',
    submissionId: 'first',
  });
});
