import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';
import type { AuditRecord } from '../../src/contract/organizations.ts';
import { ERASED, RETENTION_DAYS } from '../../src/contract/retention.ts';
import type { Conversation } from '../../src/contract/widget.ts';
import { ADDRESS_COUNTERS, normalizeIpAddress } from '../../src/domain/auth/ip-addresses.ts';
import { userVisitorId } from '../../src/domain/conversations/conversations.ts';
import { requireOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import { invalidField } from '../../src/domain/refusal.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { ConnectedRun } from '../command.ts';
import { IN_PROGRESS_MS, waitForRequestsInProgress } from './erase.ts';

/** A person in the data of one organization, by every id that the operator knows: of the user or visitor, an address, and so on. */
type Person = { readonly orgId: string; readonly ids: readonly string[] };

/** What the functions of this file need of the deployment. */
type PersonContext = Pick<
  ConnectedRun['context'],
  'store' | 'erasure' | 'deliveryRecords' | 'unreadableRecords' | 'now' | 'step' | 'pause'
>;
/** The conversation to which a stored item belongs. Only one item of a conversation has its other fields. */
type StoredConversation = Pick<Conversation, 'site_id' | 'conversation_id'> & Partial<Conversation>;
/** What `findPerson` has found. */
type PersonData = Awaited<ReturnType<typeof findPerson>>;

/**
 * Finds the conversations of a person, and what else is needed to find the person's delivery records. Reads the whole conversations
 * table, because no index has its items by user.
 * @throws Refusal 404, or 400 for an id that is empty or that belongs to the organization itself
 */
async function findPerson({ orgId, ids }: Person, context: PersonContext) {
  const { sites, logs } = await logsOf(orgId, context);
  if (ids.length === 0 || ids.includes('')) throw invalidField('user', 'must be an id');
  const noPerson = ids.find((id) => id === orgId || sites.has(id) || logs.includes(id));
  if (noPerson !== undefined) throw invalidField('user', `${noPerson} is not the id of a person`);
  const named = new Set(ids.flatMap((id) => [id, userVisitorId(id)]));
  const found = new Map<string, StoredConversation>();
  for await (const { items, read } of context.erasure.conversations()) {
    await context.step(`Searching conversations: ${found.size} of ${read} items`);
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
    /** Finds the person's ids, and those of the person's conversations and sessions, in delivery records. */
    placeOf: personSearch([...named, ...theirs.filter((id) => id !== '')]),
    /** Returns a record of the audit trail without the person's ids; undefined when it has none of them. */
    withoutIds: auditSearch(ids),
    /** Keys of the counters that the person's addresses may have. */
    counterKeys: addresses.flatMap((ip) => [
      ADDRESS_COUNTERS.sessionCreate(ip),
      ...[...sites].map((siteId) => ADDRESS_COUNTERS.formSubmit(siteId, ip)),
    ]),
  };
}

/**
 * Reads the audit trail and the delivery logs of an organization for an export: one after the other, each log with the newest event first.
 * With the ids of a person, reads the person's conversations first, and of the rest the person's records.
 * @param from leaves out changes and attempts of an earlier time, ISO 8601
 * @throws Refusal as findPerson
 */
export async function* exported(
  orgId: string,
  ids: readonly string[] | undefined,
  from: string | undefined,
  context: PersonContext,
): AsyncGenerator<object> {
  const person = ids && (await findPerson({ orgId, ids }, context));
  const { logs } = person ?? (await logsOf(orgId, context));
  for (const conversation of person?.conversations ?? []) yield { kind: 'conversation', ...conversation };
  for await (const record of context.erasure.auditRecords(orgId)) {
    if (from !== undefined && record.at < from) continue;
    if (person === undefined || person.withoutIds(record) !== undefined) yield { kind: 'change', ...record };
  }
  for await (const record of recordsOf(logs, from, context)) {
    if (person === undefined || person.placeOf(record) !== undefined) yield { kind: 'delivery', ...record };
  }
}

/** Records between two reports of progress. */
const RECORDS_PER_STEP = 100;

/** Reads several delivery logs, the newest event first, the attempts that began since `from`. Holds few records in memory. */
async function* recordsOf(
  logs: readonly string[],
  from: string | undefined,
  context: PersonContext,
): AsyncGenerator<DeliveryRecord> {
  let read = 0;
  for (const [index, log] of logs.entries()) {
    for await (const record of context.deliveryRecords(log, from)) {
      if (read++ % RECORDS_PER_STEP === 0)
        await context.step(`Reading delivery log ${index + 1} of ${logs.length}: ${read} records`);
      yield record;
    }
  }
}

/** Returns the ids of an organization's assistants, and of all its delivery logs, those of deleted Actions included. */
async function logsOf(
  orgId: string,
  { store, erasure }: PersonContext,
): Promise<{ readonly sites: ReadonlySet<string>; readonly logs: readonly string[] }> {
  await requireOrganization(orgId, { store });
  const { actions, unreadable } = await store.listActions(orgId);
  // Of an Action or an assistant that cannot be read, the id is known, and nothing else is needed.
  const logs = [...actions, ...unreadable].map(({ action_id }) => action_id);
  const sites = new Set<string>();
  const all = await store.listAssistants(orgId);
  for (const { site_id } of [...all.assistants, ...all.unreadable]) {
    sites.add(site_id);
    logs.push(...(await erasure.logsOfDeletedActions(orgId, site_id)), usageLogId(site_id));
  }
  return { sites, logs: [...new Set(logs)] };
}

const DAY_MS = 86_400_000;
/** An event is usually delivered, with its retries, in this time, so only newer ones may still add a record. */
const DELIVERED_MS = 600_000;
/** Sorts after every time in ISO 8601, so that any attempt in progress is older. */
const LATER_THAN_ALL = '~';
/** The most places that are counted separately. Customers choose the names of fields, so there may be any number. */
const PLACES_MAX = 100;

/** What a search has found, or an erasure has erased. */
export type PersonCounts = {
  /** Records that were read. */
  readonly records_read: number;
  /** Records with a payload or a response that have an id of the person, in it or as their `reference` or `trigger_ref`. */
  readonly records: number;
  /** Those records by the place of the id. */
  readonly places: Readonly<Record<string, number>>;
  readonly conversations: number;
  readonly counters: number;
  /** Records of the audit trail that name the person. */
  readonly changes: number;
  /** Records of the person in progress, and of events anybody's, because the payload is still in a queue or in a function. */
  readonly unfinished: number;
  /** Records without an id of the person, of whose payload the log has only the beginning. */
  readonly cut_payloads: number;
};

/** Counts what `erasePerson` would erase. @throws Refusal as findPerson */
export async function countPerson(person: Person, context: PersonContext): Promise<PersonCounts> {
  const data = await findPerson(person, context);
  const places: Places = new Map();
  const { counts } = await searchLogs(data, undefined, context, places, async () => true);
  const counters = await context.erasure.countCounters(data.counterKeys);
  const changes = await searchTrail(person.orgId, data, context, async () => undefined);
  return { ...counts, places: Object.fromEntries(places), conversations: data.conversations.length, counters, changes };
}

/** Counts the records of the audit trail that name a person. @param found receives each, and the same one without the person's ids */
async function searchTrail(
  orgId: string,
  { withoutIds }: PersonData,
  { erasure }: PersonContext,
  found: (record: AuditRecord, without: AuditRecord) => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const record of erasure.auditRecords(orgId)) {
    const without = withoutIds(record);
    if (without === undefined) continue;
    await found(record, without);
    count += 1;
  }
  return count;
}

/**
 * Erases the data of a person: payload and response of every delivery record that has one of the ids, the person's conversations,
 * the counters of the person's addresses, and the person's ids in the audit trail. The outcome of each delivery stays (docs/decisions/0003). Ended records never change again, so
 * no delivery restores what was erased. Records of attempts in progress are read again after 30 s, together with all recent events.
 * An interrupted run can be repeated: conversations, which lead to further records, are erased last.
 * @throws Refusal as findPerson; ServiceError for records that cannot be read, after everything else but the conversations is erased
 */
export async function erasePerson(person: Person, context: PersonContext): Promise<PersonCounts> {
  const { erasure, now } = context;
  const began = now();
  const data = await findPerson(person, context);
  await erasure.recordErasure(person.orgId, began);
  const erase = async (record: DeliveryRecord) => {
    return erasure.eraseContent(record, { now: now(), endedBefore: new Date(now().getTime() - IN_PROGRESS_MS) });
  };
  const places: Places = new Map();
  const first = await searchLogs(data, undefined, context, places, erase);
  await waitForRequestsInProgress(context);
  const recent = new Date(began.getTime() - DELIVERED_MS).toISOString();
  const from = first.oldestUnfinished < recent ? first.oldestUnfinished : recent;
  const second = await searchLogs(data, from, context, places, erase);
  const counters = await erasure.eraseCounters(data.counterKeys);
  const changes = await searchTrail(person.orgId, data, context, erasure.replaceAudit);
  requireReadable(context.unreadableRecords());
  for (const { site_id, conversation_id } of data.conversations) {
    await context.step('Erasing conversations');
    await erasure.eraseConversation(site_id, conversation_id);
  }
  return {
    ...first.counts,
    records: first.counts.records + second.counts.records,
    places: Object.fromEntries(places),
    conversations: data.conversations.length,
    counters,
    changes,
    unfinished: second.counts.unfinished,
  };
}

/**
 * Returns until when copies can exist that no command erases, of data that were written until `at`. ISO 8601, UTC.
 * @param archiveDays days for which the archive of events keeps them; undefined without an archive
 */
export function remainingUntil(at: Date, archiveDays: number | undefined) {
  const after = (days: number) => new Date(at.getTime() + days * DAY_MS).toISOString();
  const { queues, dead_letters, backups } = RETENTION_DAYS;
  return {
    queues: after(queues),
    dead_letters: after(dead_letters),
    backups: after(backups),
    ...(archiveDays === undefined ? {} : { event_archive: after(archiveDays) }),
  };
}

/** Number of records by the place of the id in them. */
type Places = Map<string, number>;

/**
 * Counts the records of delivery logs that have an id of the person, and finds when the oldest attempt in progress began.
 * @param from only attempts that began since this time, ISO 8601; undefined for all
 * @param places receives the place of the id in each counted record
 * @param found receives each such record that has content; resolves to false for a record that does not count
 */
async function searchLogs(
  { logs, placeOf }: PersonData,
  from: string | undefined,
  context: PersonContext,
  places: Places,
  found: (record: DeliveryRecord) => Promise<boolean>,
) {
  const counts = { records_read: 0, records: 0, unfinished: 0, cut_payloads: 0 };
  let oldestUnfinished = LATER_THAN_ALL;
  for await (const record of recordsOf(logs, from, context)) {
    counts.records_read += 1;
    const { payload, response_excerpt, state, trigger, started_at } = record;
    const place = placeOf(record);
    // The payload of a started attempt of an event may still be only in the queue's message. Whose it is, is then not known.
    if (state === 'started' && (payload === null ? trigger === 'event' : place !== undefined)) {
      counts.unfinished += 1;
      if (started_at < oldestUnfinished) oldestUnfinished = started_at;
    }
    if (place === undefined && record.payload_cut) counts.cut_payloads += 1;
    if (place === undefined || (payload ?? response_excerpt) === null || !(await found(record))) continue;
    counts.records += 1;
    const shown = places.has(place) || places.size < PLACES_MAX ? place : 'other places';
    places.set(shown, (places.get(shown) ?? 0) + 1);
  }
  return { counts, oldestUnfinished };
}

/** Returns the place where a record has one of the ids, such as `data.user_id`; undefined when it has none. */
export type PlaceOf = (record: DeliveryRecord) => string | undefined;

/**
 * Creates the search for a person's ids in delivery records. An id is found as a whole: in the JSON of a payload or of a response, as the
 * name or the value of a field at any depth, text or number; in a text that is not JSON, where no character of an id stands beside it; as the whole
 * `reference` or `trigger_ref`. Upper and lower case differ. The place of a response begins with `response`.
 */
export function personSearch(ids: readonly string[]): PlaceOf {
  const wanted = new Set(ids);
  // A payload that was cut is no JSON any more, but its ids are escaped as in JSON.
  const asText = [...new Set(ids.flatMap((id) => [id, JSON.stringify(id).slice(1, -1)]))];
  /** Returns '' for an id that has no place of its own in the text. */
  const placeInText = (text: string): string | undefined => {
    const value = parseJson(text);
    if (value !== undefined) return placeInJson(value, wanted);
    return asText.some((id) => standsAlone(text, id)) ? '' : undefined;
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

/** Returns the search for a person's ids in the texts of audit records: it returns the record without these texts, or undefined. */
function auditSearch(ids: readonly string[]): (record: AuditRecord) => AuditRecord | undefined {
  const isNamed = (text: string | null | undefined) =>
    text != null && ids.some((id) => text === id || standsAlone(text, id));
  const without = <Text extends string | null | undefined>(text: Text) => (isNamed(text) ? ERASED : text);
  return (record) => {
    const { by, entity_id, name, changes } = record;
    const texts = [
      by.sub,
      by.email,
      entity_id,
      name,
      ...(changes ?? []).flatMap(({ before, after }) => [before, after]),
    ];
    if (!texts.some(isNamed)) return undefined;
    return {
      ...record,
      by: { sub: without(by.sub), email: without(by.email) },
      entity_id: without(entity_id),
      ...(name !== undefined && { name: without(name) }),
      ...(changes && {
        changes: changes.map(({ field, before, after }) => ({ field, before: without(before), after: without(after) })),
      }),
    };
  };
}

/** Returns the place of an id, '' for the root. Searches without recursion, because customers choose the depth of a response. */
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

/** Returns a number as it is written, because an id can be a number. A long one is an object of JSON.rawJSON (parseJson). */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A text before an id that ends like this makes it a part of a longer one. */
const ENDS_IN_ID = /[\p{L}\p{N}_@+.-]$/u;
/** A full stop ends a sentence, unless a letter or digit follows it. */
const BEGINS_IN_ID = /^(?:[\p{L}\p{N}_@+-]|\.[\p{L}\p{N}])/u;
/** UTF-16 units to look at on each side: two characters, which BEGINS_IN_ID needs. */
const BESIDE = 4;

/** Returns whether an id is in a text as a whole, and not only as a part of a longer id. */
function standsAlone(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    const end = at + id.length;
    const before = text.slice(Math.max(0, at - BESIDE), at);
    if (!ENDS_IN_ID.test(before) && !BEGINS_IN_ID.test(text.slice(end, end + BESIDE))) return true;
  }
  return false;
}
