import type { Login } from '../../../../src/domain/context.ts';
import { addMember } from '../../../../src/domain/organizations/manage-members.ts';
import { OPERATOR_AUTHOR, ORG_ID } from '../../../fakes/configuration.ts';
import { memoryConfiguration, storeOrganization } from '../../../fakes/configuration-store.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { MemoryTables } from '../../../fakes/tables.ts';

const LOGIN: Login = {
  sub: 'sub-1',
  username: 'ada',
  email: 'ada@example.com',
  enabled: true,
  isVerified: true,
  providers: [],
};

test('a member who is added again keeps the time of the first addition, and only a change of the role is recorded', async () => {
  const tables = new MemoryTables();
  await storeOrganization(tables, []);
  const store = memoryConfiguration(tables);
  const clock = new FrozenClock();
  const logins = {
    withEmail: async () => [LOGIN],
    withSub: async () => LOGIN,
    create: async () => ({ login: LOGIN, isInvited: false }),
  };
  const context = { author: OPERATOR_AUTHOR, store, members: store.members, logins, now: clock.now };
  const added = clock.now().toISOString();
  for (const role of ['member', 'member', 'admin', 'admin'] as const) {
    const { membership } = await addMember(ORG_ID, { email: 'ada@example.com', role }, context);
    expect(membership).toMatchObject({ role, created_at: added });
    clock.advance(60_000);
  }
  const { records } = await store.auditPage(ORG_ID);
  const trail = records.flatMap(({ operation, entity_id }) => (entity_id === 'sub-1' ? [operation] : []));
  expect(trail).toEqual(['change_role', 'add_member']);
});
