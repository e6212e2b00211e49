import type { Assistant } from '../../contract/assistants.ts';
import type { AssistantView } from '../../contract/dashboard.ts';
import type { Membership } from '../../contract/members.ts';
import { Refusal } from '../refusal.ts';
import { createOnce } from './create-once.ts';
import { createAssistant, generateServerSecret, updateAssistant } from './manage-assistants.ts';
import type { ManagementPorts } from './manage-organizations.ts';
import type { RecordedStores } from './recorded-changes.ts';
import { saveAt } from './stale-version.ts';

type Ports = ManagementPorts & RecordedStores;
type Change = Readonly<Record<string, unknown>>;

/** Returns the part of an assistant that the dashboard may show: no hash of the server secret, no restrictions, no topics. */
export function assistantView(assistant: Assistant): AssistantView {
  const {
    server_secret,
    suspended,
    daily_outbound_quota,
    escalation_topics = [],
    allowed_domains,
    ip_allowlist,
    ...rest
  } = assistant;
  return {
    ...rest,
    allowed_domains: [...allowed_domains],
    ip_allowlist: [...ip_allowlist],
    server_secret: server_secret === undefined ? null : { last_six: server_secret.last_six },
    escalation_channels: escalation_topics.length,
  };
}

/** Returns an assistant of the member's organization. @throws Refusal 404, also for an assistant of another organization */
export async function assistantOf(member: Membership, siteId: string, ports: Pick<Ports, 'store'>): Promise<Assistant> {
  const assistant = await ports.store.findAssistant(siteId);
  if (assistant?.org_id !== member.org_id)
    throw new Refusal('assistant_not_found', { message: `site_id: no assistant ${siteId}` });
  return assistant;
}

/** Creates an assistant once per idempotency key. @throws Refusal 400 that names the field, 409 for a reused idempotency key */
export function createAssistantOnce(
  admin: Membership,
  request: { readonly key: string; readonly input: unknown },
  ports: Ports,
): Promise<Assistant> {
  return createOnce(
    admin,
    request,
    {
      create: (store) => createAssistant(admin.org_id, request.input, { ...ports, store }),
      find: ports.store.findAssistant,
    },
    ports,
  );
}

/**
 * Changes the named settings of an assistant.
 * @throws Refusal 400 that names the field, 404; StaleVersion when `version` is not the current one
 */
export async function saveAssistant(
  admin: Membership,
  siteId: string,
  save: { readonly version: number; readonly change: Change },
  ports: Ports,
): Promise<Assistant> {
  return saveAt(
    save.version,
    () => assistantOf(admin, siteId, ports),
    (seen) => updateAssistant(seen, save.change, { ...ports, store: ports.recorded(admin) }),
  );
}

/**
 * Generates or replaces the server secret of an assistant. The result has its full value.
 * @throws Refusal 400, 404, 409 when a secret exists and `regenerate` is false; StaleVersion when `version` is not the current one
 */
export async function replaceServerSecret(
  admin: Membership,
  siteId: string,
  options: Parameters<typeof generateServerSecret>[1] & { readonly version: number },
  ports: Ports,
): Promise<{ readonly assistant: Assistant; readonly serverSecret: string }> {
  return saveAt(
    options.version,
    () => assistantOf(admin, siteId, ports),
    (seen) => generateServerSecret(seen, options, { ...ports, store: ports.recorded(admin) }),
  );
}
