import type { Action } from '../../../../src/contract/actions.ts';
import type { Assistant } from '../../../../src/contract/assistants.ts';
import { settingsOf } from '../../../../src/domain/actions/manage-actions.ts';
import { createAssistant, requireAssistant } from '../../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../../src/domain/organizations/manage-organizations.ts';
import { setOutboundQuota, setSuspended } from '../../../../src/domain/organizations/suspension-and-quota.ts';
import { OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { CONFIGURATION, memoryConfiguration } from '../../../fakes/configuration-store.ts';
import { refusedWith } from '../../../fakes/refusals.ts';
import { createAction, updateAction, updateAssistant } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';

class Interrupted extends Error {}

/** An organization with two assistants and an Action on each. */
async function setUp() {
  const store = memoryConfiguration();
  const sources = { now: new FrozenClock().now, randomBytes: countingBytes() };
  const context = {
    author: OPERATOR_AUTHOR,
    store,
    ...sources,
    sealSigningSecret: async () => 'sealed',
    step: async () => {},
  };
  const { org_id } = await createOrganization({ name: 'Shop' }, context);
  const assistant = () => createAssistant(org_id, { name: 'Shop', domain: 'a.example', hourly_rate_limit: 9 }, context);
  const action = (siteId: string) => {
    const input = { trigger: 'Event', name: 'Tell', url: 'https://crm.example/', events: ['message.sent'] };
    return createAction(siteId, input, context);
  };
  const rename = (actionId: string) => updateAction(actionId, { name: 'Renamed' }, context);
  const sites = [await assistant(), await assistant()];
  for (const { site_id } of sites) await action(site_id);
  /** The organization and all assistants and Actions that copy its restrictions. */
  const parts = async () => [
    await store.findOrganization(org_id),
    ...(await store.listAssistants(org_id)).assistants,
    ...(await store.listActions(org_id)).actions,
  ];
  const set = (suspended: boolean, limit = Number.POSITIVE_INFINITY) => {
    let steps = 0;
    const step = async () => {
      if (steps++ >= limit) throw new Interrupted();
    };
    return setSuspended(org_id, suspended, { ...context, step });
  };
  return { context, org_id, assistant, action, rename, sites, parts, set };
}

type World = Awaited<ReturnType<typeof setUp>>;
/** Each restriction: its attribute, its value in force and without effect, and how an operator sets it. */
const RESTRICTIONS = [
  ['suspended', true, false, ({ set }: World, on: boolean) => set(on)],
  [
    'daily_outbound_quota',
    500,
    null,
    ({ org_id, context }: World, on: boolean) => setOutboundQuota(org_id, on ? 500 : null, context),
  ],
] as const;

describe.each(RESTRICTIONS)('%s', (name, on, off, restrict) => {
  test('is set and removed on the organization and on all its assistants and Actions', async () => {
    const world = await setUp();
    const values = async () => (await world.parts()).map((part) => part?.[name] ?? off);
    expect(await restrict(world, true)).toEqual({ org_id: world.org_id, [name]: on, assistants: 2, actions: 2 });
    expect(await values()).toEqual(Array(5).fill(on));
    expect(await restrict(world, true)).toMatchObject({ assistants: 0, actions: 0 });
    expect(await restrict(world, false)).toMatchObject({ assistants: 2, actions: 2 });
    expect(await values()).toEqual(Array(5).fill(off));
  });

  test('is on parts that are created or changed later, is no setting of an admin, and is not shown as one', async () => {
    const world = await setUp();
    const { context, assistant, action, rename, sites } = world;
    await restrict(world, true);
    const created = await assistant();
    const added = await action(created.site_id);
    const renamed = await rename(added.action_id);
    const changed = await updateAssistant(sites[0]?.site_id ?? '', { enabled: true }, context);
    expect([created, added, renamed, changed].map((part) => part[name])).toEqual(Array(4).fill(on));
    expect(settingsOf(renamed)).not.toHaveProperty(name);
    expect((await refusedWith(updateAction(added.action_id, { [name]: off }, context)))[0]).toBe(400);
    expect((await refusedWith(updateAssistant(created.site_id, { [name]: off }, context)))[0]).toBe(400);
    expect((await requireAssistant(created.site_id, context))[name]).toBe(on);
  });

  test.each([true, false])(
    'is that of the organization on parts whose creation runs while it changes (%p)',
    async (to) => {
      const world = await setUp();
      const { context, assistant, action, sites } = world;
      await restrict(world, !to);
      // Both read the organization before the change, and write afterwards.
      const { createAssistant, createAction } = context.store;
      let changing: Promise<unknown> | undefined;
      const late = async <T>(write: () => Promise<T>): Promise<T> => {
        changing ??= restrict(world, to);
        await changing;
        return write();
      };
      Object.assign(context.store, {
        createAssistant: (next: Assistant, limit: number) => late(() => createAssistant(next, limit, OPERATOR_AUTHOR)),
        createAction: (next: Action) => late(() => createAction(next, OPERATOR_AUTHOR)),
      });
      const created = await Promise.all([assistant(), action(sites[0]?.site_id ?? '')]);
      expect(created.map((part) => part[name] ?? off)).toEqual(Array(2).fill(to ? on : off));
    },
  );
});

test.each([
  ['malformed', { assistant: {}, action: {} }],
  ['of a newer version', { v: 2 }],
])('a suspension reaches every other part, and then names the parts that are %s', async (_, change) => {
  const { set, parts, context, sites } = await setUp();
  const { items, client } = context.store;
  const [broken] = sites;
  const keys = [/^ASSISTANT$/, /^ACTION#/].map((sk) =>
    items().find((item) => sk.test(String(item.sk)) && JSON.stringify(item).includes(broken?.site_id ?? '?')),
  );
  for (const Item of keys) await client.putItem({ TableName: CONFIGURATION, Item: { ...Item, ...change } });
  const failure = await set(true).catch((error: unknown) => error);
  expect((await parts()).map((part) => part?.suspended)).toEqual([true, true, true]);
  expect(failure).toMatchObject({
    name: 'ServiceError',
    message: expect.stringMatching(/^Table configuration holds [^;]+; Table configuration holds [^;]+$/),
  });
  for (const Item of keys) await client.putItem({ TableName: CONFIGURATION, Item: Item ?? {} });
  expect(await set(true)).toMatchObject({ assistants: 1, actions: 1 });
});

test.each([true, false])(
  'of a suspension and a resumption at once, all parts have what the organization has: %p is last',
  async (last) => {
    const { set, parts, context, org_id } = await setUp();
    await set(last);
    let steps = 0;
    const step = async () => {
      if (steps++ === 1) await set(last);
    };
    await setSuspended(org_id, !last, { ...context, step });
    expect((await parts()).map((part) => part?.suspended ?? false)).toEqual(Array(5).fill(last));
  },
);

test('an interrupted suspension can be repeated', async () => {
  const { set, parts } = await setUp();
  for (let limit = 0; limit < 3; limit++) await expect(set(true, limit)).rejects.toThrow(Interrupted);
  await set(true);
  expect((await parts()).map((part) => part?.suspended)).toEqual(Array(5).fill(true));
});

test('resuming a suspended organization leaves its quota unchanged', async () => {
  const { context, parts, org_id } = await setUp();
  await setOutboundQuota(org_id, 500, context);
  await setSuspended(org_id, true, context);
  await setSuspended(org_id, false, context);
  expect((await parts()).map((part) => part?.daily_outbound_quota)).toEqual(Array(5).fill(500));
});

test.each([0, -1, 1.5, Number.NaN, 1_000_000_001])('refuses a quota of %p and changes nothing', async (perDay) => {
  const { context, parts, org_id } = await setUp();
  expect(await refusedWith(setOutboundQuota(org_id, perDay, context))).toEqual([
    400,
    expect.stringMatching(/^daily_outbound_quota: /),
  ]);
  expect((await parts()).some((part) => part?.daily_outbound_quota !== undefined)).toBe(false);
});

test('refuses an organization that does not exist', async () => {
  const { context } = await setUp();
  expect((await refusedWith(setOutboundQuota('org_x', 500, context)))[0]).toBe(404);
});
