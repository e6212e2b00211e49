import type { Action } from '../../contract/actions.ts';
import type { Assistant } from '../../contract/assistants.ts';
import { dailyOutboundQuota, type OrganizationRestrictions } from '../../contract/organizations.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Context, ManagementContext } from '../context.ts';
import { inputOf } from '../refusal.ts';
import { ServiceError } from '../service-error.ts';
import { requireOrganization } from './manage-organizations.ts';

type RestrictionContext = ManagementContext & Context<'step'>;

/** Returns the restrictions of an organization, or the copy of them that an assistant or an Action has. Absent means no restriction. */
const restrictionsOf = ({ suspended, daily_outbound_quota }: OrganizationRestrictions): OrganizationRestrictions => ({
  suspended: suspended || undefined,
  daily_outbound_quota: daily_outbound_quota ?? undefined,
});

const haveSameRestrictions = (one: OrganizationRestrictions, other: OrganizationRestrictions): boolean =>
  canonicalJson(restrictionsOf(one)) === canonicalJson(restrictionsOf(other));

/**
 * Creates an assistant or an Action with the restrictions that its organization has at the time of the write. Tries again when they
 * changed between the read and the write.
 * @param create writes the part; returns `organization_refused`, and writes nothing, when the organization is full, is gone, or has
 * other restrictions than the part
 * @returns the part as it was created, or why it was not
 * @throws Refusal 404
 */
export async function createRestricted<Part extends { readonly org_id: string }, Outcome extends string>(
  newPart: Part,
  create: (part: Part) => Promise<Outcome | 'created' | 'organization_refused'>,
  context: Context<'store'>,
): Promise<Part | Outcome | 'too_many'> {
  let refusedPart: (Part & OrganizationRestrictions) | undefined;
  for (;;) {
    const organization = await requireOrganization(newPart.org_id, context);
    // It exists and has the restrictions that were written, so what refused them is its number of parts.
    if (refusedPart !== undefined && haveSameRestrictions(refusedPart, organization)) return 'too_many';
    const part = { ...newPart, ...restrictionsOf(organization) };
    const outcome = await create(part);
    if (outcome === 'created') return part;
    if (outcome !== 'organization_refused') return outcome;
    refusedPart = part;
  }
}

/** For work that must not leave anything out. @throws ServiceError that names all that cannot be read */
export function requireReadable(unreadable: readonly { readonly cause: Error }[]): void {
  if (unreadable.length > 0) throw new ServiceError(unreadable.map(({ cause }) => cause.message).join('; '));
}

/** Suspends an organization or resumes it. Takes effect with the next request. @throws Refusal 404 */
export async function setSuspended(orgId: string, suspended: boolean, context: RestrictionContext) {
  return { org_id: orgId, suspended, ...(await restrictOrganization(orgId, { suspended }, context)) };
}

/**
 * Limits how many outbound requests an organization may make in a UTC day; null removes the limit. Takes effect with the next
 * request. Requests that were counted today still count.
 * @throws Refusal 400 that names the field, 404
 */
export async function setOutboundQuota(orgId: string, perDay: number | null, context: RestrictionContext) {
  const daily_outbound_quota = inputOf(dailyOutboundQuota, perDay, 'daily_outbound_quota');
  const changedParts = await restrictOrganization(orgId, { daily_outbound_quota }, context);
  return { org_id: orgId, daily_outbound_quota, ...changedParts };
}

/**
 * Sets a restriction on an organization and copies its restrictions to each of its assistants and Actions. Every request reads the assistant or
 * the Action anyway, so the restriction applies to the next request and costs no additional read.
 *
 * The organization is changed first: parts that are created later copy its restrictions, and a creation that read the old ones is
 * refused (`createRestricted`). An interrupted run can be repeated. An Action that cannot be read sends nothing, and an assistant that
 * cannot be read admits no request; the error that names them is thrown after all other parts are changed.
 * @returns how many assistants and Actions it has changed
 * @throws Refusal 404, ServiceError for parts that cannot be read
 */
async function restrictOrganization(orgId: string, restriction: OrganizationRestrictions, context: RestrictionContext) {
  const { store, step, author } = context;
  await requireOrganization(orgId, context);
  await store.changeOrganization(orgId, restriction, author);
  const count = { assistants: 0, actions: 0 };
  // Repeats until every part has what the organization has: during a pass, an admin may save or create a part, and another run may change the organization.
  for (;;) {
    const organization = await requireOrganization(orgId, context);
    const isOutdated = (part: Assistant | Action) => !haveSameRestrictions(part, organization);
    const restrictions = restrictionsOf(organization);
    const nextOf = <Part extends Assistant | Action>(part: Part) => ({
      ...part,
      ...restrictions,
      version: part.version + 1,
    });
    const allAssistants = await store.listAssistants(orgId);
    const allActions = await store.listActions(orgId);
    const assistants = allAssistants.assistants.filter(isOutdated);
    const actions = allActions.actions.filter(isOutdated);
    if (assistants.length + actions.length === 0) {
      requireReadable([...allAssistants.unreadable, ...allActions.unreadable]);
      return count;
    }
    for (const previous of assistants) {
      await step(`Updating assistants: ${count.assistants}`);
      if (await store.replaceAssistant(previous, nextOf(previous), author)) count.assistants += 1;
    }
    for (const previous of actions) {
      await step(`Updating Actions: ${count.actions}`);
      if ((await store.replaceAction(previous, nextOf(previous), author)) === 'replaced') count.actions += 1;
    }
  }
}
