import type { Assistant } from '../../contract/assistants.ts';
import { requireAssistant, updateAssistant } from '../organizations/manage-assistants.ts';
import type { ManageMembersPorts } from '../organizations/manage-members.ts';
import { type ManagementPorts, requireOrganization } from '../organizations/manage-organizations.ts';
import { requireAll } from '../organizations/store.ts';
import { usageLogId } from '../usage/report-usage.ts';

/** Longer than any function runs: after it, nobody who saw the assistant switched on writes any more. */
const UNDER_WAY_MS = 30_000;

/** What is there to erase, and how (adapters/dynamodb). Every call may be repeated; those that erase say how many items went. */
export type Erasure = {
  /** Ids of deleted Actions whose logs are still there. */
  readonly leftLogs: (orgId: string, siteId: string) => Promise<readonly string[]>;
  readonly forgetLog: (orgId: string, siteId: string, actionId: string) => Promise<void>;
  readonly eraseLog: (logId: string, step: (erased: number) => Promise<void>) => Promise<number>;
  /** Conversations, submissions and calls. No index leads from a site to them, so this reads the whole table. */
  readonly eraseConversations: (
    siteId: string,
    step: (read: number, erased: number) => Promise<void>,
  ) => Promise<number>;
  readonly eraseAudit: (orgId: string) => Promise<number>;
  readonly removeAssistant: (assistant: Assistant) => Promise<void>;
  readonly removeOrganization: (orgId: string) => Promise<void>;
};

export type ErasePorts = ManagementPorts & {
  readonly members: Pick<ManageMembersPorts['members'], 'list' | 'remove'>;
  readonly erasure: Erasure;
  /** Told what is being done, often; ends the work by throwing, which may happen at any time. */
  readonly step: (text: string) => Promise<void>;
  /** Waits, and throws when the operator has had enough. */
  readonly pause: (milliseconds: number) => Promise<void>;
};

/** How much was erased in this run. */
export type Erased = {
  readonly actions: number;
  readonly log_records: number;
  readonly conversation_items: number;
};

/**
 * Erases an assistant: its Actions and settings, and what visitors left in conversations and delivery logs. Counters expire
 * by themselves within two days. The assistant itself goes last, so that whatever interrupts this, running it again goes on.
 * @throws Refusal 404
 */
export async function eraseAssistant(siteId: string, ports: ErasePorts): Promise<Erased> {
  const assistant = await requireAssistant(siteId, ports);
  const actions = await switchOff(assistant, ports);
  await waitForRequestsUnderWay(ports);
  return erased([{ actions }, await eraseSwitchedOff(assistant, ports)]);
}

/**
 * Erases an organization with all that belongs to it: members' access first, its own item last. Logins stay, because they may
 * belong to other organizations.
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
  for (const assistant of assistants) parts.push({ actions: await switchOff(assistant, ports) });
  if (assistants.length > 0) await waitForRequestsUnderWay(ports);
  for (const assistant of assistants) parts.push(await eraseSwitchedOff(assistant, ports));
  await ports.step('Erasing the audit trail');
  await ports.erasure.eraseAudit(orgId);
  await ports.erasure.removeOrganization(orgId);
  return { assistants: assistants.length, members: members.length, ...erased(parts) };
}

/** From here on nothing new is written about its visitors. @returns how many Actions were deleted */
async function switchOff(assistant: Assistant, ports: ErasePorts): Promise<number> {
  const { site_id, org_id } = assistant;
  await ports.step(`Switching ${site_id} off`);
  if (assistant.enabled) await updateAssistant(site_id, { enabled: false }, ports);
  let deleted = 0;
  // Until there is none: one may be changed, or another created, in between.
  for (;;) {
    const actions = requireAll(await ports.store.listActions(org_id)).filter((action) => action.site_id === site_id);
    if (actions.length === 0) return deleted;
    for (const action of actions) {
      await ports.step(`Deleting the Actions of ${site_id}: ${deleted}`);
      if (await ports.store.deleteAction(action)) deleted += 1;
    }
  }
}

async function waitForRequestsUnderWay(ports: ErasePorts): Promise<void> {
  await ports.step(`Waiting ${UNDER_WAY_MS / 1000} s for requests that are under way`);
  await ports.pause(UNDER_WAY_MS);
}

async function eraseSwitchedOff(assistant: Assistant, ports: ErasePorts): Promise<Partial<Erased>> {
  const { site_id, org_id } = assistant;
  const { erasure, step } = ports;
  let log_records = 0;
  const eraseLog = async (logId: string) => {
    log_records += await erasure.eraseLog(logId, (count) => step(`Erasing the log of ${logId}: ${count}`));
  };
  for (const actionId of await erasure.leftLogs(org_id, site_id)) {
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
