import type { OrganizationMarks } from '../../contract/organizations.ts';
import { type ManagementPorts, requireOrganization } from './manage-organizations.ts';
import { requireAll } from './store.ts';

export type MarkPorts = ManagementPorts & {
  /** Told what is being done, often; ends the work by throwing. */
  readonly step: (text: string) => Promise<void>;
};

/** How many a run changed. */
export type Marked = { readonly assistants: number; readonly actions: number };

/** What a new or changed part of this carries of its organization's marks. */
export function marksOf({ suspended, daily_outbound_quota }: OrganizationMarks): OrganizationMarks {
  return {
    ...(suspended ? { suspended } : {}),
    ...(daily_outbound_quota == null ? {} : { daily_outbound_quota }),
  };
}

/**
 * Puts a mark on an organization, and on each of its assistants and Actions, which every request reads anyway: it works with the next
 * request and costs none of them a read. What is created meanwhile gets it from the organization, which is marked first.
 * Interrupted, it can be run again. An Action that cannot be read sends nothing meanwhile; the others are marked before it is named.
 * @param carries whether a part has the mark already
 * @throws Refusal 404, Error for an Action that cannot be read
 */
export async function markOrganization(
  orgId: string,
  mark: OrganizationMarks,
  carries: (part: OrganizationMarks) => boolean,
  ports: MarkPorts,
): Promise<Marked> {
  const { store, step } = ports;
  await store.saveOrganization({ ...(await requireOrganization(orgId, ports)), ...mark });
  const count = { assistants: 0, actions: 0 };
  // Until nothing differs: somebody may save, or create something, in between.
  for (;;) {
    const assistants = (await store.listAssistants(orgId)).filter((one) => !carries(one));
    const list = await store.listActions(orgId);
    const actions = list.actions.filter((one) => !carries(one));
    if (assistants.length + actions.length === 0) {
      requireAll(list);
      return count;
    }
    for (const previous of assistants) {
      await step(`Marking assistants: ${count.assistants}`);
      const next = { ...previous, ...mark, version: previous.version + 1 };
      if (await store.replaceAssistant(previous, next)) count.assistants += 1;
    }
    for (const previous of actions) {
      await step(`Marking Actions: ${count.actions}`);
      const next = { ...previous, ...mark, version: previous.version + 1 };
      if ((await store.replaceAction(previous, next)) === 'replaced') count.actions += 1;
    }
  }
}
