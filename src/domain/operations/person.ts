import { parseExactly } from '../../contract/json.ts';
import { ADDRESS_COUNTERS, normalizeIpAddress } from '../auth/ip-addresses.ts';
import { userVisitorId } from '../conversations/visitor-id.ts';
import { requireOrganization } from '../organizations/manage-organizations.ts';
import { type ConfigurationStore, requireAll } from '../organizations/store.ts';
import { invalidField } from '../refusal.ts';
import { usageLogId } from '../usage/report-usage.ts';
import type { Erasure, StoredConversation } from './erase.ts';
import type { EventAttempt, ReadLog } from './event-attempts.ts';

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

/** Returns the place where a record has one of the ids, such as `data.user_id`; undefined when it has none. */
export type PlaceOf = (record: EventAttempt) => string | undefined;

/**
 * Creates the search for a person's ids in delivery records. An id is found as a whole: in the JSON of a payload or of a response, as the
 * name or the value of a field at any depth, text or number; in a text that is not JSON, where no character of an id stands beside it.
 * Upper and lower case differ. The place of a response begins with `response`.
 */
export function personSearch(ids: readonly string[]): PlaceOf {
  const wanted = new Set(ids);
  const asText = [...new Set(ids.flatMap((id) => [id, JSON.stringify(id).slice(1, -1)]))];
  const placeInText = (text: string): string | undefined => {
    let value: unknown;
    try {
      value = parseExactly(text);
    } catch {
      return asText.some((id) => standsAlone(text, id)) ? '' : undefined;
    }
    return placeInJson(value, wanted);
  };
  return ({ payload, response_excerpt, reference, trigger_ref }) => {
    const inPayload = payload === null ? undefined : placeInText(payload);
    if (inPayload !== undefined) return inPayload || 'payload';
    if (wanted.has(reference)) return 'reference';
    if (wanted.has(trigger_ref)) return 'trigger_ref';
    const inResponse = response_excerpt === null ? undefined : placeInText(response_excerpt);
    return inResponse === undefined ? undefined : ['response', inResponse].filter((part) => part !== '').join('.');
  };
}

/** Searches without recursion, because customers choose the depth of a response. */
function placeInJson(root: unknown, wanted: ReadonlySet<string>): string | undefined {
  const left = [{ place: '', value: root }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { place, value } = next;
    if (Array.isArray(value)) {
      for (const part of value) left.push({ place: `${place}[]`, value: part });
    } else if (typeof value === 'object' && value !== null && !JSON.isRawJSON(value)) {
      for (const [name, part] of Object.entries(value)) {
        const below = place === '' ? name : `${place}.${name}`;
        if (wanted.has(name)) return below;
        left.push({ place: below, value: part });
      }
    } else if (typeof value !== 'boolean' && value !== null && wanted.has(textOf(value))) return place;
  }
  return undefined;
}

/** Returns the text of a text or a number. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const ENDS_IN_ID = /[\p{L}\p{N}_@+.-]$/u;
/** A full stop ends a sentence, unless a letter or digit follows it. */
const BEGINS_IN_ID = /^(?:[\p{L}\p{N}_@+-]|\.[\p{L}\p{N}])/u;
/** Two characters, each of at most two UTF-16 units. */
const BESIDE = 4;

function standsAlone(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const end = at + id.length;
    const before = text.slice(Math.max(0, at - BESIDE), at);
    if (!ENDS_IN_ID.test(before) && !BEGINS_IN_ID.test(text.slice(end, end + BESIDE))) return true;
  }
  return false;
}
