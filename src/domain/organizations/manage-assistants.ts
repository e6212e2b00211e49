import * as z from 'zod';
import {
  ASSISTANT_SETTINGS,
  type Assistant,
  assistantChange,
  assistantInput,
  escalationTopics,
  formSubmissionsPerHour,
} from '../../contract/assistants.ts';
import type { AssistantView } from '../../contract/dashboard.ts';
import type { JsonObject } from '../../contract/fields.ts';
import { type HostEntry, readHostEntry } from '../../contract/hosts.ts';
import { ASSISTANTS_PER_ORGANIZATION } from '../../contract/limits.ts';
import type { Membership, Organization } from '../../contract/organizations.ts';
import { normalizeIpAddress } from '../auth/ip-addresses.ts';
import { newServerSecret, storedServerSecret } from '../auth/server-secret.ts';
import type { Context, ManagementContext } from '../context.ts';
import { existingAssistant } from '../existing.ts';
import { inputOf, invalidField, Refusal } from '../refusal.ts';
import { newEntityId } from '../sources.ts';
import { changedFields, existingId, StaleVersion } from './changes.ts';
import { requireOrganization } from './manage-organizations.ts';
import { createRestricted } from './suspension-and-quota.ts';

/**
 * Creates an assistant of an organization, once per idempotency key of its author. Without Allowed Domains in the input, its list has only
 * the Domain. Hosts and addresses are normalized (spec "Allowed Websites", rule 5).
 * @throws Refusal 400 that names the field, 404 for an unknown organization, 409 when it has the maximum number of assistants or for a
 * reused key
 */
export async function createAssistant(orgId: string, input: unknown, context: ManagementContext): Promise<Assistant> {
  const organization = await requireOrganization(orgId, context);
  const inputSettings = inputOf(newAssistant, input);
  const { allowed_domains = inputSettings.domain === '' ? [] : [inputSettings.domain] } = inputSettings;
  const settings = { ...inputSettings, allowed_domains };
  if (settings.authentication_mode === 'Session Signed') requirePaid(organization.plan);
  const now = context.now().toISOString();
  const site_id = newEntityId('site', context.randomBytes);
  const assistant: Assistant = { ...settings, site_id, org_id: orgId, created_at: now, updated_at: now, version: 1 };
  const limit = assistantLimit(organization);
  const create = (part: Assistant) => context.store.createAssistant(part, limit, context.author);
  const creation = await createRestricted(assistant, create, context);
  if (creation === 'too_many')
    throw new Refusal('too_many_assistants', { problem: `the organization may have at most ${limit}` });
  if (creation !== 'exists') return creation;
  const earlierAssistant = await context.store.findAssistant(await existingId(site_id, context));
  if (earlierAssistant === undefined || changedFields(settingsOf(earlierAssistant), settingsOf(assistant)).length > 0)
    throw new Refusal('idempotency_key_reused');
  return earlierAssistant;
}

const settingsOf = (assistant: Assistant) => z.object(ASSISTANT_SETTINGS).parse(assistant);

export const assistantLimit = ({ assistant_limit = ASSISTANTS_PER_ORGANIZATION }: Organization): number =>
  assistant_limit;

/**
 * Changes the named settings of an assistant and keeps the others. null removes one that may be missing.
 * @throws Refusal 400 that names the field, 409 when the assistant was saved in the meantime
 */
export async function updateAssistant(previous: Assistant, change: JsonObject, context: ManagementContext) {
  // All other fields keep their stored value, including fields of newer code.
  const settings = inputOf(changedSettings, change);
  if (settings.authentication_mode === 'Session Signed' && previous.authentication_mode !== 'Session Signed') {
    requirePaid((await requireOrganization(previous.org_id, context)).plan);
  }
  return save(previous, { ...previous, ...settings }, context);
}

/**
 * Generates the server secret, or replaces it: the previous one stops working with the next request (spec "States").
 * @param options.authentication_mode the mode that the user has selected, when it is not saved yet
 * @returns the full secret, which is stored nowhere and can never be shown again
 * @throws Refusal 409; 400 for the first secret unless Session Signed is selected
 */
export async function generateServerSecret(
  previous: Assistant,
  options: { readonly regenerate: boolean; readonly authentication_mode?: 'Session Signed' | undefined },
  context: ManagementContext,
): Promise<{ readonly assistant: Assistant; readonly serverSecret: string }> {
  const { authentication_mode: savedMode, server_secret: existingSecret } = previous;
  if (existingSecret === undefined && savedMode !== 'Session Signed') {
    if (options.authentication_mode === undefined)
      throw invalidField('authentication_mode', 'must be Session Signed to generate a server secret');
    requirePaid((await requireOrganization(previous.org_id, context)).plan);
  }
  if (existingSecret !== undefined && !options.regenerate) throw new Refusal('server_secret_exists');
  const serverSecret = newServerSecret(previous.site_id, context.randomBytes);
  const assistant = await save(previous, { ...previous, server_secret: storedServerSecret(serverSecret) }, context);
  return { assistant, serverSecret };
}

const OPERATOR_SETTINGS = { escalation_topics: escalationTopics, form_submissions_per_hour: formSubmissionsPerHour };

/**
 * Sets what only the operator may set: the SNS topics that receive form submissions in addition to the endpoint, or how many submissions the
 * assistant accepts in a clock hour. An empty list removes the topics, null the limit.
 * @throws Refusal 400 that names the setting, 404, 409
 */
export async function setByOperator(
  siteId: string,
  name: keyof typeof OPERATOR_SETTINGS,
  value: unknown,
  context: ManagementContext,
): Promise<Assistant> {
  const checkedValue = inputOf<unknown>(OPERATOR_SETTINGS[name], value, name);
  const previous = await requireAssistant(siteId, context);
  return save(previous, { ...previous, [name]: checkedValue ?? undefined }, context);
}

/** Returns an assistant with what the dashboard shows of its secret and its topics. What else it may not show, the schema of the answer leaves out. */
export function viewOfAssistant(assistant: Assistant): AssistantView {
  const { server_secret = null, escalation_topics = [] } = assistant;
  return { ...assistant, server_secret, escalation_channels: escalation_topics.length };
}

/** Returns an assistant of the member's organization. @throws Refusal 404, also for one of another organization or one that is being deleted */
export async function assistantOf(member: Membership, siteId: string, { store }: Context<'store'>): Promise<Assistant> {
  const assistant = await store.findAssistant(siteId);
  return existingAssistant(assistant?.org_id === member.org_id ? assistant : undefined, siteId);
}

/** Returns an assistant. @throws Refusal 404, also while it is being deleted */
export async function requireAssistant(siteId: string, { store }: Context<'store'>): Promise<Assistant> {
  return existingAssistant(await store.findAssistant(siteId), siteId);
}

/** Saves the next version of an assistant. @throws StaleVersion when `previous` is no longer the stored version */
async function save(previous: Assistant, changed: Assistant, context: ManagementContext): Promise<Assistant> {
  const next = { ...changed, updated_at: context.now().toISOString(), version: previous.version + 1 };
  if (!(await context.store.replaceAssistant(previous, next, context.author))) throw new StaleVersion('assistant');
  return next;
}

/** Checks an entry, and changes it to the form in which it is compared. */
const entrySchema = (readEntry: (entry: string) => HostEntry) =>
  z.string().transform((entry, context) => {
    const result = readEntry(entry);
    if ('entry' in result) return result.entry;
    context.issues.push({ code: 'custom', input: entry, message: result.problem });
    return z.NEVER;
  });

const hosts = z.array(entrySchema(readHostEntry));
const addresses = z.array(
  entrySchema((text) => {
    const entry = normalizeIpAddress(text);
    return entry === undefined ? { problem: 'must be an IPv4 or IPv6 address' } : { entry };
  }),
);
/** Removes repeated entries, which may become equal when they are normalized. */
const once = (entries: readonly string[]) => [...new Set(entries)];

const { domain, allowed_domains, ip_allowlist } = assistantChange.shape;
// `unwrap`, because no setting is required in a change. The rules of the contract come first, so that a list that is too long is only
// refused for its length.
const DOMAIN = domain.unwrap().pipe(entrySchema((text) => (text.trim() === '' ? { entry: '' } : readHostEntry(text))));
const ALLOWED_DOMAINS = allowed_domains.unwrap().pipe(hosts).transform(once);
const IP_ALLOWLIST = ip_allowlist.unwrap().pipe(addresses).transform(once);

/** The rules of the contract for a new assistant, and then for a change, with those for hosts and addresses in addition. */
const newAssistant = assistantInput.extend({
  domain: DOMAIN.default(''),
  allowed_domains: ALLOWED_DOMAINS.optional(),
  ip_allowlist: IP_ALLOWLIST.default([]),
});
const changedSettings = assistantChange.extend({
  domain: DOMAIN.optional(),
  allowed_domains: ALLOWED_DOMAINS.optional(),
  ip_allowlist: IP_ALLOWLIST.optional(),
});

function requirePaid(plan: string): void {
  if (plan !== 'paid') throw new Refusal('paid_feature');
}
