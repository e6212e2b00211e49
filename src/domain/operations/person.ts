import { ADDRESS_COUNTERS, normalizeIpAddress } from '../auth/ip-addresses.ts';
import { userVisitorId } from '../conversations/visitor-id.ts';
import { requireOrganization } from '../organizations/manage-organizations.ts';
import { type ConfigurationStore, requireAll } from '../organizations/store.ts';
import { invalidField } from '../refusal.ts';
import { usageLogId } from '../usage/report-usage.ts';
import type { Erasure, StoredConversation } from './erase.ts';
import type { EventAttempt, ReadLog } from './event-attempts.ts';
import { type PlaceOf, personSearch } from './person-search.ts';

/** A person in the data of one organization, by every id that the operator knows: of the user or visitor, an address, and so on. */
export type Person = { readonly orgId: string; readonly ids: readonly string[] };

export type ReadPorts = {
  readonly store: Pick<ConfigurationStore, 'findOrganization' | 'listAssistants' | 'listActions'>;
  readonly erasure: Pick<Erasure, 'logsOfDeletedActions' | 'conversations'>;
  readonly deliveryRecords: ReadLog;
  /** Reports progress. It may throw at any time to end the work. */
  readonly step: (text: string) => Promise<void>;
};

/** Where an organization's data of a person are. */
export type PersonData = {
  readonly logs: readonly string[];
  readonly conversations: readonly StoredConversation[];
  /** Finds the person's ids, and those of the person's conversations and sessions, in delivery records. */
  readonly placeOf: PlaceOf;
  /** Keys of the counters that the person's addresses may have. */
  readonly counters: readonly string[];
};

/**
 * Finds the conversations of a person, and what else is needed to find the person's delivery records. Reads the whole conversations
 * table, because no index has its items by user.
 * @throws Refusal 404, or 400 for an id that is empty or that belongs to the organization itself
 */
export async function findPerson({ orgId, ids }: Person, ports: ReadPorts): Promise<PersonData> {
  const { sites, logs } = await logsOf(orgId, ports);
  if (ids.length === 0 || ids.includes('')) throw invalidField('user', 'must be an id');
  const own = ids.find((id) => id === orgId || sites.has(id) || logs.includes(id));
  if (own !== undefined) throw invalidField('user', `${own} is not the id of a person`);
  const named = new Set(ids.flatMap((id) => [id, userVisitorId(id)]));
  const found = new Map<string, StoredConversation>();
  for await (const { items, read } of ports.erasure.conversations()) {
    await ports.step(`Searching conversations: ${found.size} of ${read} items`);
    for (const item of items) {
      if (!sites.has(item.site_id)) continue;
      const { conversation_id, visitor_id = '', user_id, session_id = '' } = item;
      if (![conversation_id, visitor_id, user_id ?? '', session_id].some((id) => named.has(id))) continue;
      const key = `${item.site_id} ${conversation_id}`;
      found.set(key, { ...found.get(key), ...item });
    }
  }
  const conversations = [...found.values()];
  const theirs = conversations.flatMap(({ conversation_id, session_id }) => [conversation_id, session_id ?? '']);
  const addresses = ids.flatMap((id) => normalizeIpAddress(id) ?? []);
  return {
    logs,
    conversations,
    placeOf: personSearch([...named, ...theirs.filter((id) => id !== '')]),
    counters: addresses.flatMap((ip) => [
      ADDRESS_COUNTERS.sessionCreate(ip),
      ...[...sites].map((siteId) => ADDRESS_COUNTERS.formSubmit(siteId, ip)),
    ]),
  };
}

/** Reads the delivery log of an organization: one log after the other, each with the newest event first. @throws Refusal 404 */
export async function* recordsOfOrganization(
  orgId: string,
  from: string | undefined,
  ports: ReadPorts,
): AsyncGenerator<EventAttempt> {
  const { logs } = await logsOf(orgId, ports);
  yield* recordsOf(logs, from, ports);
}

/** Records between two reports of progress. */
const RECORDS_PER_STEP = 100;

/** Reads several delivery logs, each from the newest event back to `from`. Holds few records in memory. */
export async function* recordsOf(
  logs: readonly string[],
  from: string | undefined,
  ports: Pick<ReadPorts, 'deliveryRecords' | 'step'>,
): AsyncGenerator<EventAttempt> {
  let read = 0;
  for (const [index, log] of logs.entries()) {
    await ports.step(`Reading delivery log ${index + 1} of ${logs.length}: ${read} records`);
    for await (const record of ports.deliveryRecords(log, from)) {
      yield record;
      if (++read % RECORDS_PER_STEP !== 0) continue;
      await ports.step(`Reading delivery log ${index + 1} of ${logs.length}: ${read} records`);
    }
  }
}

/** Returns the ids of an organization's assistants, and of all its delivery logs, those of deleted Actions included. */
async function logsOf(
  orgId: string,
  { store, erasure }: ReadPorts,
): Promise<{ readonly sites: ReadonlySet<string>; readonly logs: readonly string[] }> {
  await requireOrganization(orgId, { store });
  const logs = requireAll(await store.listActions(orgId)).map(({ action_id }) => action_id);
  const sites = new Set<string>();
  for (const { site_id } of await store.listAssistants(orgId)) {
    sites.add(site_id);
    logs.push(...(await erasure.logsOfDeletedActions(orgId, site_id)), usageLogId(site_id));
  }
  return { sites, logs: [...new Set(logs)] };
}
