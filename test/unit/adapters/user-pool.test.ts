import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AwsError } from '../../../local/cloud/gateway.ts';
import { keptUsers, type User, userPools } from '../../../local/cloud/services/user-pools.ts';
import { cognitoClient } from '../../../src/adapters/aws-clients.ts';
import { userPoolLogins } from '../../../src/adapters/user-pool.ts';
import { addMember } from '../../../src/domain/organizations/manage-members.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { OPERATOR_AUTHOR } from '../../fakes/configuration.ts';
import { memoryConfiguration } from '../../fakes/configuration-store.ts';
import { ACCESS } from '../../fakes/memory-clients.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

type Pool = Parameters<typeof userPools>[0][number];
type Properties = Omit<Pool['properties'], 'AdminCreateUserConfig'>;

const BY_ADDRESS: Properties = { UsernameAttributes: ['email'] };
const BY_ALIAS: Properties = { AliasAttributes: ['email'] };
const INSENSITIVE = { UsernameConfiguration: { CaseSensitive: false } };
/** User pools by what their users log in with, and whether case matters. */
const POOLS = {
  'of the construct': { ...BY_ADDRESS, ...INSENSITIVE },
  'by address': BY_ADDRESS,
  'by address or name': { ...BY_ALIAS, ...INSENSITIVE },
  'by address or name, with case': BY_ALIAS,
  'by name': INSENSITIVE,
  'by name, with case': {},
} satisfies Record<string, Properties>;
type PoolName = keyof typeof POOLS;
const POOL_NAMES = Object.keys(POOLS) as PoolName[];

const POOL_ID = 'eu-central-1_pool';
const ADA = 'ada.lovelace@example.com';
const OTHERS = ['ad@example.com', 'ada.lovelace@example.com.evil.example', 'AD.other@example.com'];

/** A user pool of the local cloud with these logins, and `member add` on it. */
async function operatorOf(pool: PoolName, logins: readonly Partial<User>[]) {
  const users = keptUsers(join(temporaryFolder(), 'users.json'));
  const known = { pool: POOL_ID, password: '', email_verified: true, enabled: true, providers: [] };
  for (const [index, login] of [...OTHERS.map((email) => ({ email })), ...logins].entries()) {
    users.add({ ...known, email: undefined, sub: `sub-${index}`, username: `name-${index}`, ...login });
  }
  const invited: string[] = [];
  const resource: Pool = {
    logicalId: 'Pool',
    ref: POOL_ID,
    arn: 'arn:pool',
    properties: { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true }, ...POOLS[pool] },
  };
  const service = userPools([resource], users, (email) => invited.push(email));
  const answer = async (request: Parameters<typeof service.answer>[0]) => {
    try {
      return await service.answer(request, () => {});
    } catch (error) {
      if (error instanceof AwsError) return service.refuse(error);
      throw error;
    }
  };
  const client = cognitoClient({
    ...ACCESS,
    requestHandler: {
      handle: async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
        const result = await answer({
          method: 'POST',
          path: '/',
          headers,
          body: Buffer.from(new TextDecoder().decode(body)),
        });
        const { status: statusCode, headers: sent } = result;
        return { response: { statusCode, headers: sent, body: Readable.from([Buffer.from(result.body)]) } };
      },
    },
  });
  const store = memoryConfiguration();
  const clock = new FrozenClock();
  const context = {
    author: OPERATOR_AUTHOR,
    store,
    members: store.members,
    now: clock.now,
    logins: userPoolLogins(client, POOL_ID),
  };
  const { org_id } = await createOrganization({ name: 'Shop' }, { ...context, randomBytes: countingBytes() });
  return {
    invited,
    add: async (input: Parameters<typeof addMember>[1]) => (await addMember(org_id, input, context)).membership,
    members: async () => (await store.members.list(org_id)).memberships,
    users: () => users.of(POOL_ID).slice(OTHERS.length),
  };
}

describe.each(POOL_NAMES)('a user pool %s', (pool) => {
  test('a login is created once, in the way the pool takes, and found again', async () => {
    const { add, invited, users } = await operatorOf(pool, []);
    const { sub } = await add({ email: 'Ada.Lovelace@Example.com' });
    expect(users()).toMatchObject([{ sub, email: ADA, email_verified: true }]);
    expect([await add({ email: ADA }), invited]).toMatchObject([{ sub }, [ADA]]);
  });

  test.each([ADA, 'Ada.Lovelace@Example.com', 'ADA.LOVELACE@EXAMPLE.COM'])(
    'the login that exists as %s is the member, however its address is typed',
    async (email) => {
      const { add, invited, members } = await operatorOf(pool, [{ sub: 'ada', email }]);
      for (const typed of [email, ADA, 'Ada.Lovelace@Example.com']) await add({ email: typed });
      expect([await members(), invited]).toMatchObject([[{ sub: 'ada', email: ADA }], []]);
    },
  );

  test('an address behind sixty others is found', async () => {
    const crowd = Array.from({ length: 130 }, (_, index) => ({ email: `ada${index}@example.com` }));
    const { add } = await operatorOf(pool, [...crowd, { sub: 'ada', email: ADA }]);
    expect(await add({ email: ADA })).toMatchObject({ sub: 'ada' });
  });
});

const OKTA = { username: 'Okta_ada', email_verified: false, providers: ['Okta'] };
const NATIVE = { sub: 'ada', email: ADA, username: 'Ada' };

test.each<[string, Partial<User>[], { providers?: string[]; sub?: string }, string]>([
  [
    'two verified logins',
    [NATIVE, { email: 'Ada.Lovelace@example.com', username: 'ADA' }],
    {},
    'Ada (sub ada); ADA (s',
  ],
  ['one not verified', [{ ...NATIVE, email_verified: false }], {}, 'Ada (sub ada, address not verified)'],
  ['a verified one and one not verified', [NATIVE, { email: ADA, email_verified: false }], {}, 'address not verified)'],
  ['a disabled one', [{ ...NATIVE, enabled: false }], {}, 'Ada (sub ada, disabled)'],
  ['one of a provider', [{ ...NATIVE, ...OKTA }], {}, 'Okta_ada (sub ada, address from Okta)'],
  [
    'a verified one of a provider',
    [{ ...NATIVE, ...OKTA, email_verified: true }],
    {},
    'Okta_ada (sub ada, address from Okta)',
  ],
  ['one of another provider', [{ ...NATIVE, ...OKTA }], { providers: ['Google'] }, 'address from Okta'],
  [
    'one linked to two',
    [{ ...NATIVE, providers: ['Okta', 'Google'] }],
    { providers: ['Okta'] },
    'from Okta and Google',
  ],
  ['one of a provider and one of the pool', [NATIVE, { email: ADA, ...OKTA }], { providers: ['Okta'] }, 'Okta_ada'],
])('%s: refused with the usernames, and added by sub', async (_, logins, named, message) => {
  const { add, members, invited, users } = await operatorOf('of the construct', logins);
  const refused = { code: 'login_uncertain', message: expect.stringContaining(message) };
  await expect(add({ email: ADA, ...named })).rejects.toMatchObject(refused);
  expect([await members(), invited, users()]).toMatchObject([[], [], logins]);
  await expect(add({ sub: 'ada' })).resolves.toMatchObject({ sub: 'ada', email: ADA });
});

test.each<[string, Partial<User>[], { providers?: string[] }]>([
  ['a disabled login beside an enabled one', [{ ...NATIVE, sub: 'old', enabled: false }, NATIVE], {}],
  ['a login of a provider that verifies addresses', [{ ...NATIVE, ...OKTA }], { providers: ['Okta'] }],
  ['a login that is linked to such providers', [{ ...NATIVE, providers: ['A', 'B'] }], { providers: ['B', 'A'] }],
])('%s is taken', async (_, logins, named) => {
  const { add } = await operatorOf('by address', logins);
  await expect(add({ email: ADA, ...named })).resolves.toMatchObject({ sub: 'ada' });
});

test('a login that the search does not show yet is taken when the pool says that it exists', async () => {
  const { add, users } = await operatorOf('by address or name', []);
  const [first, second] = await Promise.allSettled([add({ email: ADA }), add({ email: ADA })]);
  expect([first, second]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  expect(users()).toHaveLength(1);
});

test.each(['"; email = "', 'x" or sub ^= "', '\\', '__proto__'])('the sub %j finds nobody', async (sub) => {
  const { add } = await operatorOf('by name', [NATIVE]);
  await expect(add({ sub })).rejects.toMatchObject({ code: 'login_not_found' });
});
