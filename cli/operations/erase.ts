import type { Assistant } from '../../src/contract/assistants.ts';
import { requireAssistant, updateAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { requireOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { requireAll } from '../../src/domain/organizations/suspension-and-quota.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { ConnectedRun } from '../command.ts';

/** Longer than the timeout of every function. After it, every invocation that read the assistant as enabled has ended. */
export const IN_PROGRESS_MS = 30_000;

export type ErasePorts = Pick<
  ConnectedRun['ports'],
  'store' | 'members' | 'erasure' | 'now' | 'randomBytes' | 'step' | 'pause'
>;

/** The numbers of items that a run erased. */
export type Erased = {
  readonly actions: number;
  readonly log_records: number;
  readonly conversation_items: number;
};

/**
 * Erases an assistant: its Actions and settings, and the data of visitors in conversations and delivery logs. Counters expire
 * within two days. The assistant itself is erased last, so that an interrupted run can be repeated and continues.
 * @throws Refusal 404
 */
export async function eraseAssistant(siteId: string, ports: ErasePorts): Promise<Erased> {
  const assistant = await requireAssistant(siteId, ports);
  const actions = await disable(assistant, ports);
  await waitForRequestsInProgress(ports);
  return erased([{ actions }, await eraseDisabled(assistant, ports)]);
}

/**
 * Erases an organization and everything that belongs to it: first its memberships, last its own item. Logins are kept, because they
 * may belong to other organizations. An interrupted run can be repeated.
 * @throws Refusal 404
 */
export async function eraseOrganization(
  orgId: string,
  ports: ErasePorts,
): Promise<Erased & { readonly assistants: number; readonly members: number }> {
  await requireOrganization(orgId, ports);
  const members = await ports.members.list(orgId);
  for (const { sub } of members) {
    await ports.step('Removing members');
    await ports.members.remove(orgId, sub);
  }
  const assistants = await ports.store.listAssistants(orgId);
  const parts: Partial<Erased>[] = [];
  for (const assistant of assistants) parts.push({ actions: await disable(assistant, ports) });
  if (assistants.length > 0) await waitForRequestsInProgress(ports);
  for (const assistant of assistants) parts.push(await eraseDisabled(assistant, ports));
  await ports.step('Erasing the audit trail');
  await ports.erasure.eraseAudit(orgId);
  await ports.erasure.removeOrganization(orgId);
  return { assistants: assistants.length, members: members.length, ...erased(parts) };
}

/** Disables an assistant and deletes its Actions, so that no new data of its visitors is written. @returns the number of deleted Actions */
async function disable(assistant: Assistant, ports: ErasePorts): Promise<number> {
  const { site_id, org_id } = assistant;
  await ports.step(`Disabling ${site_id}`);
  if (assistant.enabled) await updateAssistant(assistant, { enabled: false }, ports);
  let deleted = 0;
  // Repeats until no Action is left, because an admin may change or create one during a pass.
  for (;;) {
    const actions = requireAll(await ports.store.listActions(org_id)).filter((action) => action.site_id === site_id);
    if (actions.length === 0) return deleted;
    for (const action of actions) {
      await ports.step(`Deleting the Actions of ${site_id}: ${deleted}`);
      if (await ports.store.deleteAction(action)) deleted += 1;
    }
  }
}

/** Waits until every request that is in progress now has ended. */
export async function waitForRequestsInProgress(ports: Pick<ErasePorts, 'step' | 'pause'>): Promise<void> {
  await ports.step(`Waiting ${IN_PROGRESS_MS / 1000} s for requests in progress`);
  await ports.pause(IN_PROGRESS_MS);
}

async function eraseDisabled(assistant: Assistant, ports: ErasePorts): Promise<Partial<Erased>> {
  const { site_id, org_id } = assistant;
  const { erasure, step } = ports;
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
  await erasure.removeAssistant(await requireAssistant(site_id, ports));
  return { log_records, conversation_items };
}

function erased(parts: readonly Partial<Erased>[]): Erased {
  const sum = (name: keyof Erased) => parts.reduce((total, part) => total + (part[name] ?? 0), 0);
  return {
    actions: sum('actions'),
    log_records: sum('log_records'),
    conversation_items: sum('conversation_items'),
  };
}
