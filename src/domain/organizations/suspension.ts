import type { ManagementPorts } from './manage-organizations.ts';
import { requireOrganization } from './manage-organizations.ts';

type Suspendable = { readonly suspended?: boolean };

/** What a new or changed part of this carries of its suspension. */
export function suspendedLike({ suspended }: Suspendable): Suspendable {
  return suspended ? { suspended } : {};
}

export type Suspension = {
  readonly org_id: string;
  readonly suspended: boolean;
  /** How many this run changed. */
  readonly assistants: number;
  readonly actions: number;
};

/**
 * Suspends an organization or resumes it. The mark stands on every assistant and Action, which each request reads anyway: it works
 * with the next request and costs none of them a read. What is created meanwhile gets it from the organization, which is marked
 * first. Interrupted, it can be run again.
 * @param step told what is being done, often; ends the work by throwing
 * @throws Refusal 404
 */
export async function setSuspended(
  orgId: string,
  suspended: boolean,
  ports: ManagementPorts & { readonly step: (text: string) => Promise<void> },
): Promise<Suspension> {
  const { store, step } = ports;
  await store.saveOrganization({ ...(await requireOrganization(orgId, ports)), suspended });
  const differs = (one: Suspendable) => (one.suspended ?? false) !== suspended;
  const count = { assistants: 0, actions: 0 };
  // Until nothing differs: somebody may save, or create something, in between.
  for (;;) {
    const assistants = (await store.listAssistants(orgId)).filter(differs);
    const actions = (await store.listActions(orgId)).filter(differs);
    if (assistants.length + actions.length === 0) return { org_id: orgId, suspended, ...count };
    for (const previous of assistants) {
      await step(`Marking assistants: ${count.assistants}`);
      const next = { ...previous, suspended, version: previous.version + 1 };
      if (await store.replaceAssistant(previous, next)) count.assistants += 1;
    }
    for (const previous of actions) {
      await step(`Marking Actions: ${count.actions}`);
      const next = { ...previous, suspended, version: previous.version + 1 };
      if ((await store.replaceAction(previous, next)) === 'replaced') count.actions += 1;
    }
  }
}
