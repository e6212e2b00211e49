import * as z from 'zod';
import {
  type Assistant,
  type AssistantSettings,
  assistantChange,
  assistantInput,
  escalationTopics,
  formSubmissionsPerHour,
} from '../../contract/assistants.ts';
import { ALLOWED_DOMAINS_MAX, ASSISTANTS_PER_ORGANIZATION, IP_ALLOWLIST_MAX } from '../../contract/limits.ts';
import { readHostEntry } from '../auth/hosts.ts';
import { normalizeIpAddress } from '../auth/ip-addresses.ts';
import { newServerSecret, storedServerSecret } from '../auth/server-secret.ts';
import { newId } from '../ids.ts';
import {
  type FieldProblem,
  inputOf,
  invalidField,
  invalidFields,
  parseInput,
  problemsOf,
  Refusal,
} from '../refusal.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { type ManagementPorts, requireOrganization } from './manage-organizations.ts';
import { createRestricted, restrictionsOf } from './restrictions.ts';
import { StaleVersion } from './stale-version.ts';
import type { ConfigurationStore } from './store.ts';

/**
 * Creates an assistant of an organization. Without Allowed Domains in the input, its list has only the Domain. Hosts and addresses are
 * normalized (spec "Allowed Websites", rule 5).
 * @throws Refusal 400 that names the field, 404 for an unknown organization, 409 when it has the maximum number of assistants
 */
export async function createAssistant(orgId: string, input: unknown, ports: ManagementPorts): Promise<Assistant> {
  const { plan } = await requireOrganization(orgId, ports);
  const wanted = settingsOf(assistantInput, input);
  const { allowed_domains = wanted.domain === '' ? [] : [wanted.domain] } = wanted;
  const settings = { ...wanted, allowed_domains };
  if (settings.authentication_mode === 'Session Signed') requirePaid(plan);
  const now = ports.now().toISOString();
  const unrestricted: Assistant = {
    ...settings,
    site_id: newId('site', ports.randomBytes),
    org_id: orgId,
    created_at: now,
    updated_at: now,
    version: 1,
  };
  let created = unrestricted;
  let limit = ASSISTANTS_PER_ORGANIZATION;
  const outcome = await createRestricted(
    orgId,
    (organization) => {
      created = { ...unrestricted, ...restrictionsOf(organization) };
      limit = organization.assistant_limit ?? ASSISTANTS_PER_ORGANIZATION;
      return ports.store.createAssistant(created, limit);
    },
    ports,
  );
  if (outcome === 'created') return created;
  throw new Refusal('too_many_assistants', { message: `assistants: the organization may have at most ${limit}` });
}

/**
 * Changes the named settings of an assistant and keeps the others.
 * @throws Refusal 400 that names the field, 404, 409 when the assistant was saved in the meantime
 */
export async function updateAssistant(
  siteId: string,
  change: Readonly<Record<string, unknown>>,
  ports: ManagementPorts,
): Promise<Assistant> {
  const previous = await requireAssistant(siteId, ports);
  // All other fields keep their stored value, including fields of newer code and values that older limits allowed.
  const settings = settingsOf(assistantChange, withoutUndefined(change));
  if (settings.authentication_mode === 'Session Signed' && previous.authentication_mode !== 'Session Signed') {
    requirePaid((await requireOrganization(previous.org_id, ports)).plan);
  }
  return save(previous, { ...previous, ...settings }, ports);
}

/**
 * Generates the server secret, or replaces it: the previous one stops working with the next request (spec "States").
 * @returns the full secret, which is stored nowhere and can never be shown again
 * @throws Refusal 404, 409; 400 unless the mode is Session Signed
 */
export async function generateServerSecret(
  siteId: string,
  options: { readonly regenerate: boolean },
  ports: ManagementPorts,
): Promise<{ readonly assistant: Assistant; readonly serverSecret: string }> {
  const previous = await requireAssistant(siteId, ports);
  if (previous.authentication_mode !== 'Session Signed') {
    throw invalidField('authentication_mode', 'must be Session Signed to generate a server secret');
  }
  if (previous.server_secret !== undefined && !options.regenerate) {
    throw new Refusal('server_secret_exists');
  }
  const serverSecret = newServerSecret(siteId, ports.randomBytes);
  const assistant = await save(previous, { ...previous, server_secret: storedServerSecret(serverSecret) }, ports);
  return { assistant, serverSecret };
}

/**
 * Sets the SNS topics that receive form submissions in addition to the endpoint. An empty list removes them. Only the operator may do
 * this.
 * @throws Refusal 400 for a topic outside the allowed name prefix, 404, 409
 */
export async function setEscalationTopics(
  siteId: string,
  topics: readonly string[],
  ports: ManagementPorts,
): Promise<Assistant> {
  const parsed = inputOf(escalationTopics, topics, 'escalation_topics');
  const previous = await requireAssistant(siteId, ports);
  return save(previous, { ...previous, escalation_topics: parsed }, ports);
}

/**
 * Sets how many form submissions an assistant accepts in a clock hour. Only the operator may do this.
 * @throws Refusal 400, 404, 409
 */
export async function setFormSubmissions(siteId: string, perHour: number, ports: ManagementPorts): Promise<Assistant> {
  const parsed = inputOf(formSubmissionsPerHour, perHour, 'form_submissions_per_hour');
  const previous = await requireAssistant(siteId, ports);
  return save(previous, { ...previous, form_submissions_per_hour: parsed }, ports);
}

/** Returns an assistant. @throws Refusal 404 */
export async function requireAssistant(
  siteId: string,
  ports: { readonly store: Pick<ConfigurationStore, 'findAssistant'> },
): Promise<Assistant> {
  const assistant = await ports.store.findAssistant(siteId);
  if (assistant === undefined)
    throw new Refusal('assistant_not_found', { field: 'site_id', message: `site_id: no assistant ${siteId}` });
  return assistant;
}

async function save(previous: Assistant, changed: Assistant, ports: ManagementPorts): Promise<Assistant> {
  const next = { ...changed, updated_at: ports.now().toISOString(), version: previous.version + 1 };
  if (!(await ports.store.replaceAssistant(previous, next))) {
    throw new StaleVersion('assistant');
  }
  return next;
}

/**
 * Validates settings with their schema and normalizes hosts and addresses to the form in which they are compared.
 * @throws Refusal 400 that names every wrong field
 */
function settingsOf<Settings extends Partial<AssistantSettings>>(
  schema: z.ZodType<Settings>,
  input: unknown,
): Settings {
  const parsed = parseInput(schema, input);
  const problems = parsed.success ? [] : problemsOf(parsed.error);
  const { domain, allowed_domains, ip_allowlist } = hostSettings.parse(input);
  const normalized = {
    ...(domain === undefined ? {} : { domain: domain.trim() === '' ? '' : hostEntry(domain, 'domain', problems) }),
    ...(allowed_domains === undefined
      ? {}
      : { allowed_domains: eachOnce(allowed_domains, 'allowed_domains', problems, hostEntry) }),
    ...(ip_allowlist === undefined
      ? {}
      : { ip_allowlist: eachOnce(ip_allowlist, 'ip_allowlist', problems, ipAddress) }),
  };
  if (!parsed.success || problems.length > 0) throw invalidFields(problems);
  return { ...parsed.data, ...normalized };
}

/**
 * Reads the host settings of an input without validation, so that all problems of hosts are found; the settings' schema validates them. A
 * list that is too long is only refused for its length.
 */
const hostSettings = z
  .object({
    domain: z.string().optional().catch(undefined),
    allowed_domains: z.array(z.string()).max(ALLOWED_DOMAINS_MAX).optional().catch(undefined),
    ip_allowlist: z.array(z.string()).max(IP_ALLOWLIST_MAX).optional().catch(undefined),
  })
  .catch({});

type Normalize = (entry: string, field: string, problems: FieldProblem[]) => string;

function eachOnce(entries: readonly string[], field: string, problems: FieldProblem[], normalize: Normalize): string[] {
  return [...new Set(entries.map((entry, index) => normalize(entry, `${field}.${index}`, problems)))];
}

const hostEntry: Normalize = (entry, field, problems) => {
  const read = readHostEntry(entry);
  if ('entry' in read) return read.entry;
  problems.push({ field, problem: read.problem });
  return entry;
};

const ipAddress: Normalize = (entry, field, problems) => {
  const address = normalizeIpAddress(entry);
  if (address === undefined) problems.push({ field, problem: 'must be an IPv4 or IPv6 address' });
  return address ?? entry;
};

function requirePaid(plan: string): void {
  if (plan !== 'paid') throw new Refusal('paid_feature', { field: 'authentication_mode' });
}
