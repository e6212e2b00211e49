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

test('creates no login where AWS does not name the operator, who could not be recorded', async () => {
  const tables = new MemoryTables();
  await storeOrganization(tables, []);
  const store = memoryConfiguration(tables);
  const created: string[] = [];
  const logins = {
    withEmail: async () => [],
    withSub: async () => undefined,
    create: async (email: string) => {
      created.push(email);
      return { login: LOGIN, isInvited: true };
    },
  };
  const author = {
    kind: 'operator',
    get arn(): string {
      throw new Error('No route to STS');
    },
  } as const;
  const context = { author, store, members: store.members, logins, now: new FrozenClock().now };
  await expect(addMember(ORG_ID, { email: 'ada@example.com' }, context)).rejects.toThrow('No route to STS');
  expect(created).toEqual([]);
  expect((await store.members.list(ORG_ID)).memberships).toEqual([]);
});
