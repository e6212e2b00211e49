import type { Action } from '../../../src/contract/actions.ts';
import type { Assistant } from '../../../src/contract/assistants.ts';
import { settingsOf, updateAction } from '../../../src/domain/actions/manage-actions.ts';
import { requireAssistant, updateAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { setSuspended } from '../../../src/domain/organizations/suspension.ts';
import { anOrganization } from '../../fakes/organization.ts';
import { refusedWith } from '../../fakes/refusals.ts';

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
