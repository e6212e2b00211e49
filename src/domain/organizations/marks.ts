import type { Organization, OrganizationMarks } from '../../contract/organizations.ts';
import { type ManagementPorts, requireOrganization } from './manage-organizations.ts';
import { type ConfigurationStore, requireAll } from './store.ts';

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

/** An organization's marks do not change more often than this while something is created. */
const CREATION_TRIES = 5;

/**
 * Creates a part of an organization with the marks that the organization has when the part is written.
 * @param create is given the organization; `organization_changed` when it was marked meanwhile, and nothing was written
 * @throws Refusal 404; Error when the marks change again and again
 */
export async function createMarked<Outcome extends string>(
  orgId: string,
  create: (organization: Organization) => Promise<Outcome | 'organization_changed'>,
  ports: { readonly store: Pick<ConfigurationStore, 'findOrganization'> },
): Promise<Outcome> {
  for (let attempt = 0; attempt < CREATION_TRIES; attempt += 1) {
    const outcome = await create(await requireOrganization(orgId, ports));
    if (outcome !== 'organization_changed') return outcome;
  }
  throw new Error(`Organization ${orgId} is being changed all the time`);
}

/**
 * Puts a mark on an organization, and on each of its assistants and Actions, which every request reads anyway: it works with the next
 * request and costs none of them a read. The organization is marked first: what is created later takes its marks from it, and a creation
 * that read them earlier is not made (createMarked).
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
  await requireOrganization(orgId, ports);
  await store.changeOrganization(orgId, mark);
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
