import type { Assistant } from '../../src/contract/assistants.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import type { ActionList } from '../../src/domain/context.ts';
import { noAssistant } from '../../src/domain/existing.ts';
import { noOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { ConnectedRun } from '../command.ts';

/** Longer than the timeout of every function that reads an assistant. After it, every invocation that read the assistant as enabled has ended. */
export const IN_PROGRESS_MS = 30_000;

export type EraseContext = Pick<
  ConnectedRun['context'],
  'store' | 'author' | 'members' | 'erasure' | 'now' | 'step' | 'pause'
>;

type VisitorData = { readonly log_records: number; readonly conversation_items: number };
type Erased = VisitorData & { readonly actions: number };

/**
 * Erases an assistant: its Actions and settings, and the data of visitors in conversations and delivery logs. Counters expire
 * within two days. It begins with a mark, after which nothing is created in the assistant and no request is admitted. The assistant itself
 * is erased last, so that an interrupted run can be repeated and continues. A deleted assistant can be deleted again, because a restored table
 * may have its data.
 * @throws Refusal 404; ServiceError for an Action that cannot be read, after all others are deleted
 */
export async function eraseAssistant(siteId: string, context: EraseContext): Promise<Erased> {
  const actions = await markAndDelete(siteId, context);
  const { org_id } = await assistantToErase(siteId, context);
  requireReadable((await context.store.listActions(org_id)).unreadable.filter(mayBelongTo(siteId)));
  await waitForRequestsInProgress(context);
  return { actions, ...(await eraseMarked(siteId, context)) };
}

/**
 * Erases an organization and everything that belongs to it: first its memberships, last its own item. Logins are kept, because they
 * may belong to other organizations. It begins with a mark, as with an assistant. An interrupted run can be repeated. What cannot be read
 * is kept, with its assistant and the organization, until a later run can read it.
 * @throws Refusal 404; ServiceError for parts that cannot be read, after all others are erased
 */
export async function eraseOrganization(orgId: string, context: EraseContext) {
  await organizationToErase(orgId, context);
  await context.step(`Marking ${orgId}`);
  await context.store.changeOrganization(orgId, { deleting: true }, context.author);
  await context.erasure.recordDeletion({ org_id: orgId, deleted_at: context.now().toISOString() });
  const members = await context.members.subsOf(orgId);
  for (const sub of members) {
    await context.step('Removing members');
    await context.members.remove(orgId, sub);
  }
  const { assistants, unreadable: unreadableAssistants } = await context.store.listAssistants(orgId);
  const sites = assistants.map(({ site_id }) => site_id);
  let actions = 0;
  for (const siteId of sites) actions += await markAndDelete(siteId, context);
  const unreadableActions = (await context.store.listActions(orgId)).unreadable;
  if (sites.length > 0) await waitForRequestsInProgress(context);
  let data = NO_DATA;
  for (const siteId of sites) {
    if (!unreadableActions.some(mayBelongTo(siteId))) data = sum(data, await eraseMarked(siteId, context));
  }
  requireReadable([...unreadableAssistants, ...unreadableActions]);
  await context.step('Erasing the audit trail');
  await context.erasure.eraseAudit(orgId);
  await context.erasure.removeOrganization(orgId);
  return { assistants: sites.length, members: members.length, actions, ...data };
}

/** Lists what was deleted, the newest first, and whether the table still has it, after an interruption or a restore. @returns also the records that cannot be read */
export async function checkDeletions({ erasure, step }: EraseContext) {
  const { deletions, unreadable } = await erasure.deletions();
  const checkedDeletions = [];
  for (const deletion of deletions.toSorted((a, b) => b.deleted_at.localeCompare(a.deleted_at))) {
    await step(`Looking for what was deleted: ${checkedDeletions.length}`);
    checkedDeletions.push({ ...deletion, stored: await erasure.isStored(deletion) });
  }
  return { checkedDeletions, unreadable };
}

/** Marks an assistant, and deletes its Actions, to which no other is added from then on. @returns the number of deleted Actions */
async function markAndDelete(siteId: string, context: EraseContext): Promise<number> {
  await context.step(`Marking ${siteId}`);
  // Until the mark is saved: somebody may save the assistant at the same moment.
  for (;;) {
    const assistant = await context.store.findAssistant(siteId);
    if (assistant === undefined || assistant.deleting) break;
    const marked = { ...assistant, enabled: false, deleting: true, version: assistant.version + 1 };
    await context.store.replaceAssistant(assistant, marked, context.author);
  }
  const { org_id } = await assistantToErase(siteId, context);
  await context.erasure.recordDeletion({ site_id: siteId, org_id, deleted_at: context.now().toISOString() });
  return deleteActions(siteId, org_id, context);
}

type Doomed = Pick<Assistant, 'site_id' | 'org_id' | 'domain' | 'name'>;

/** Returns an assistant, also one whose deletion was interrupted or is complete. @throws Refusal 404 */
export async function assistantToErase(siteId: string, { store, erasure }: EraseContext): Promise<Doomed> {
  const assistant = await store.findAssistant(siteId);
  if (assistant !== undefined) return assistant;
  const deletion = await erasure.findDeletion(siteId);
  if (deletion?.site_id === undefined) throw noAssistant(siteId);
  return { site_id: siteId, org_id: deletion.org_id, domain: '', name: `deleted at ${deletion.deleted_at}` };
}

/** @returns also one whose deletion was interrupted @throws Refusal 404 */
export async function organizationToErase(orgId: string, { store }: EraseContext): Promise<Organization> {
  const organization = await store.findOrganization(orgId);
  if (organization === undefined) throw noOrganization(orgId);
  return organization;
}

/** Returns a check whether an Action that cannot be read may be of this assistant: its item may not even tell its site. */
export const mayBelongTo = (siteId: string) => (action: ActionList['unreadable'][number]) =>
  (action.site_id ?? siteId) === siteId;

/** Deletes the Actions that can be read. Repeats until a pass finds none, because an admin may save one during a pass. */
async function deleteActions(siteId: string, orgId: string, context: EraseContext): Promise<number> {
  let deletedCount = 0;
  for (;;) {
    const list = await context.store.listActions(orgId);
    const actions = list.actions.filter((action) => action.site_id === siteId);
    if (actions.length === 0) return deletedCount;
    for (const action of actions) {
      await context.step(`Deleting the Actions of ${siteId}: ${deletedCount}`);
      if (await context.store.deleteAction(action, context.author)) deletedCount += 1;
    }
  }
}

export async function waitForRequestsInProgress(context: Pick<EraseContext, 'step' | 'pause'>): Promise<void> {
  await context.step(`Waiting ${IN_PROGRESS_MS / 1000} s for requests in progress`);
  await context.pause(IN_PROGRESS_MS);
}

/** Erases the data of a marked assistant, until a pass finds nothing, and then the assistant. */
async function eraseMarked(siteId: string, context: EraseContext): Promise<VisitorData> {
  const assistant = await assistantToErase(siteId, context);
  let data = NO_DATA;
  for (;;) {
    const erasedCounts = await eraseData(assistant, context);
    if (erasedCounts.log_records + erasedCounts.conversation_items === 0) break;
    data = sum(data, erasedCounts);
  }
  await context.erasure.removeAssistant(assistant);
  await context.erasure.eraseSite(siteId);
  return data;
}

/** Erases the data of visitors that it finds in one pass over the delivery logs and conversations of an assistant. */
async function eraseData({ site_id, org_id }: Doomed, { erasure, step }: EraseContext): Promise<VisitorData> {
  let log_records = 0;
  const eraseLog = async (logId: string) => {
    log_records += await erasure.eraseLog(logId, (count) => step(`Erasing the log of ${logId}: ${count}`));
  };
  for (const actionId of await erasure.logsOfDeletedActions(org_id, site_id)) {
    await eraseLog(actionId);
    await erasure.forgetLog(org_id, site_id, actionId);
  }
  await eraseLog(usageLogId(site_id));
  const conversation_items = await erasure.eraseConversations(site_id, (read, count) =>
    step(`Erasing conversations of ${site_id}: ${count} of ${read} items read`),
  );
  return { log_records, conversation_items };
}

const NO_DATA: VisitorData = { log_records: 0, conversation_items: 0 };
const sum = (one: VisitorData, other: VisitorData): VisitorData => ({
  log_records: one.log_records + other.log_records,
  conversation_items: one.conversation_items + other.conversation_items,
});
