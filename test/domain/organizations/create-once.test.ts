import type { Membership } from '../../../src/contract/members.ts';
import { createOnce } from '../../../src/domain/organizations/create-once.ts';
import { ORG_ID } from '../../fakes/configuration.ts';
import { InMemoryConfigurationStore } from '../../fakes/configuration-store.ts';
import { InMemoryRecordedStores } from '../../fakes/recorded-stores.ts';
import { refusalOf } from '../../fakes/refusals.ts';
import { FrozenClock } from '../../fakes/sources.ts';

const MEMBER: Membership = { org_id: ORG_ID, sub: 'anna', email: 'anna@shop.example', role: 'admin', created_at: 'x' };

test('an input that is nested too deeply is refused and creates nothing', async () => {
  const ports = new InMemoryRecordedStores(new InMemoryConfigurationStore(), new FrozenClock().now);
  const input: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
  let created = 0;
  const work = {
    create: async () => {
      created += 1;
      return 'created';
    },
    find: async () => undefined,
  };
  const refusal = await refusalOf(createOnce(MEMBER, { key: 'one', input }, work, ports));
  expect([refusal.status, refusal.message, created]).toEqual([400, 'The request is nested too deeply', 0]);
});
