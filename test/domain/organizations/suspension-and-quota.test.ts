import type { Action } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import { settingsOf, viewOfAction } from '../../../src/domain/actions/manage-actions.ts';
import { requireAssistant, viewOfAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { setOutboundQuota, setSuspended } from '../../../src/domain/organizations/suspension-and-quota.ts';
import { anOrganization } from '../../fakes/organization.ts';
import { refusedWith } from '../../fakes/refusals.ts';
import { updateAction, updateAssistant } from '../../fakes/saves.ts';

class Interrupted extends Error {}

async function setUp() {
  const organization = await anOrganization();
  const { org_id, ports } = organization;
  const set = (suspended: boolean, limit = Number.POSITIVE_INFINITY) => {
    let steps = 0;
    const step = async () => {
      if (steps++ >= limit) throw new Interrupted();
    };
    return setSuspended(org_id, suspended, { ...ports, step });
  };
  return { ...organization, set };
}

test('suspends and resumes the organization with all its assistants and Actions', async () => {
  const { set, parts, org_id } = await setUp();
  expect(await set(true)).toEqual({ org_id, suspended: true, assistants: 2, actions: 2 });
  expect(parts().map(({ suspended }) => suspended)).toEqual(Array(5).fill(true));
  expect(await set(true)).toMatchObject({ assistants: 0, actions: 0 });
  expect(await set(false)).toMatchObject({ assistants: 2, actions: 2 });
  expect(parts().some(({ suspended }) => suspended)).toBe(false);
});

test('an interrupted suspension can be repeated', async () => {
  const { set, parts } = await setUp();
  for (let limit = 0; limit < 3; limit++) await expect(set(true, limit)).rejects.toThrow(Interrupted);
  await set(true);
  expect(parts().map(({ suspended }) => suspended)).toEqual(Array(5).fill(true));
});

test('parts that are created or changed later are suspended, and an admin cannot set `suspended`', async () => {
  const { set, ports, assistant, action, rename, sites } = await setUp();
  await set(true);
  const created = await assistant();
  const added = await action(created.site_id);
  expect([created.suspended, added.suspended]).toEqual([true, true]);
  const renamed = await rename(added.action_id);
  const [site] = sites;
  const changed = await updateAssistant(site?.site_id ?? '', { enabled: true }, ports);
  expect([renamed.suspended, changed.suspended]).toEqual([true, true]);
  expect(settingsOf(renamed)).not.toHaveProperty('suspended');
  expect((await refusedWith(updateAction(added.action_id, { suspended: false }, ports)))[0]).toBe(400);
  expect((await refusedWith(updateAssistant(created.site_id, { suspended: false }, ports)))[0]).toBe(400);
  expect((await requireAssistant(created.site_id, ports)).suspended).toBe(true);
});

test('a creation that runs during the suspension creates a suspended part', async () => {
  const { set, ports, assistant, action, sites } = await setUp();
  const [site] = sites;
  // Both read the organization before it is suspended, and write afterwards.
  const { createAssistant, createAction } = ports.store;
  let suspending: Promise<unknown> | undefined;
  const late = async <T>(write: () => Promise<T>): Promise<T> => {
    suspending ??= set(true);
    await suspending;
    return write();
  };
  Object.assign(ports.store, {
    createAssistant: (next: Assistant, limit: number) => late(() => createAssistant(next, limit)),
    createAction: (next: Action) => late(() => createAction(next)),
  });
  const created = await Promise.all([assistant(), action(site?.site_id ?? '')]);
  expect(created.map(({ suspended }) => suspended)).toEqual([true, true]);
});

test('sets and removes the quota on the organization and on all its assistants and Actions', async () => {
  const { ports, parts, org_id } = await anOrganization();
  expect(await setOutboundQuota(org_id, 500, ports)).toEqual({
    org_id,
    daily_outbound_quota: 500,
    assistants: 2,
    actions: 2,
  });
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(500));
  expect(await setOutboundQuota(org_id, 500, ports)).toMatchObject({ assistants: 0, actions: 0 });
  expect(await setOutboundQuota(org_id, null, ports)).toMatchObject({ assistants: 2, actions: 2 });
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(null));
});

test('resuming a suspended organization leaves its quota unchanged', async () => {
  const { ports, parts, org_id } = await anOrganization();
  await setOutboundQuota(org_id, 500, ports);
  await setSuspended(org_id, true, ports);
  await setSuspended(org_id, false, ports);
  expect(parts().map((part) => part.daily_outbound_quota)).toEqual(Array(5).fill(500));
});

test('parts that are created or changed later have the quota, which is no setting and which the dashboard does not show', async () => {
  const { ports, org_id, assistant, action, rename } = await anOrganization();
  await setOutboundQuota(org_id, 500, ports);
  const created = await assistant();
  const added = await action(created.site_id);
  const renamed = await rename(added.action_id);
  expect([created, added, renamed].map((part) => part.daily_outbound_quota)).toEqual([500, 500, 500]);
  for (const shown of [settingsOf(added), viewOfAction(added), viewOfAssistant(created)]) {
    expect(shown).not.toHaveProperty('daily_outbound_quota');
  }
});

test.each([0, -1, 1.5, Number.NaN, 1_000_000_001])('refuses a quota of %p and changes nothing', async (perDay) => {
  const { ports, parts, org_id } = await anOrganization();
  expect(await refusedWith(setOutboundQuota(org_id, perDay, ports))).toEqual([
    400,
    expect.stringMatching(/^daily_outbound_quota: /),
  ]);
  expect(parts().some((part) => 'daily_outbound_quota' in part)).toBe(false);
});

test('refuses an organization that does not exist', async () => {
  const { ports } = await anOrganization();
  expect((await refusedWith(setOutboundQuota('org_x', 500, ports)))[0]).toBe(404);
});
