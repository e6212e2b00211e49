import type { DeliveryRecord } from '../../src/contract/delivery-record.ts';
import type { AuditRecord } from '../../src/contract/organizations.ts';
import { ERASED, RETENTION_DAYS } from '../../src/contract/retention.ts';
import type { Conversation } from '../../src/contract/widget.ts';
import { ADDRESS_COUNTERS, normalizeIpAddress } from '../../src/domain/auth/ip-addresses.ts';
import { userVisitorId } from '../../src/domain/conversations/conversations.ts';
import { auditRecordOf } from '../../src/domain/organizations/changes.ts';
import { requireExisting } from '../../src/domain/organizations/manage-organizations.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import { invalidField } from '../../src/domain/refusal.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { ConnectedRun } from '../command.ts';
import { IN_PROGRESS_MS, waitForRequestsInProgress } from './erase.ts';

/** A person in the data of one organization, by every id that the operator knows: of the user or visitor, an address, and so on. */
type Person = { readonly orgId: string; readonly ids: readonly string[] };

type PersonContext = Pick<
  ConnectedRun['context'],
  'author' | 'store' | 'erasure' | 'deliveryRecords' | 'unreadableRecords' | 'now' | 'step' | 'pause'
>;
/** The conversation to which a stored item belongs. Only one item of a conversation has its other fields. */
type ConversationPart = Pick<Conversation, 'site_id' | 'conversation_id'> & Partial<Conversation>;
type PersonData = Awaited<ReturnType<typeof findPerson>>;

/**
 * Finds the conversations of a person, and the ids of the person in delivery records. Reads the whole conversations
 * table, because no index has its items by user.
 * @throws Refusal 404, or 400 for an id that is empty or that belongs to the organization itself
 */
async function findPerson({ orgId, ids }: Person, context: PersonContext) {
  const { siteIds, logIds } = await logsOf(orgId, context);
  if (ids.length === 0 || ids.includes('')) throw invalidField('user', 'must be an id');
  const organizationId = ids.find((id) => id === orgId || siteIds.has(id) || logIds.includes(id));
  if (organizationId !== undefined) throw invalidField('user', `${organizationId} is not the id of a person`);
  const recordIds = new Set(ids.flatMap((id) => [id, userVisitorId(id)]));
  const conversationsByKey = new Map<string, ConversationPart>();
  for await (const { items, read: readCount } of context.erasure.conversations()) {
    await context.step(`Searching conversations: ${conversationsByKey.size} of ${readCount} items`);
    for (const item of items) {
      if (!siteIds.has(item.site_id)) continue;
      const { conversation_id, visitor_id = '', user_id, session_id = '' } = item;
      if (![conversation_id, visitor_id, user_id ?? '', session_id].some((id) => recordIds.has(id))) continue;
      const key = `${item.site_id} ${conversation_id}`;
      conversationsByKey.set(key, { ...conversationsByKey.get(key), ...item });
    }
  }
  const conversations = [...conversationsByKey.values()];
  for (const { conversation_id, session_id = '' } of conversations) {
    recordIds.add(conversation_id);
    if (session_id !== '') recordIds.add(session_id);
  }
  const addresses = ids.flatMap((id) => normalizeIpAddress(id) ?? []);
  const counterKeys = addresses.flatMap((ip) => [
    ADDRESS_COUNTERS.sessionCreate(ip),
    ...[...siteIds].map((siteId) => ADDRESS_COUNTERS.formSubmit(siteId, ip)),
  ]);
  return { ids, logIds, conversations, recordIds, counterKeys };
}

/**
 * Reads the audit trail and the delivery logs of an organization for an export: one after the other, each log with the newest event first.
 * With the ids of a person, reads the person's conversations first, and of the rest the person's records.
 * @param from leaves out changes and attempts of an earlier time, ISO 8601
 * @throws Refusal as findPerson
 */
export async function* exportedRecords(
  orgId: string,
  ids: readonly string[] | undefined,
  from: string | undefined,
  context: PersonContext,
): AsyncGenerator<object> {
  const person = ids && (await findPerson({ orgId, ids }, context));
  const { logIds } = person ?? (await logsOf(orgId, context));
  await context.store.record(auditRecordOf('export_data', { org_id: orgId, entity_id: orgId }, context));
  for (const conversation of person?.conversations ?? []) yield { kind: 'conversation', ...conversation };
  for await (const { record } of context.erasure.auditItems(orgId)) {
    if (from !== undefined && record.at < from) continue;
    if (person === undefined || withoutPerson(record, person.ids) !== undefined) yield { kind: 'change', ...record };
  }
  for await (const record of recordsOf(logIds, from, context)) {
    if (person === undefined || isAboutPerson(record, person.recordIds)) yield { kind: 'delivery', ...record };
  }
}

const RECORDS_PER_STEP = 100;

/** Reads several delivery logs, the newest event first, the attempts that began since `from`. Holds few records in memory. */
async function* recordsOf(logIds: readonly string[], from: string | undefined, context: PersonContext) {
  let recordCount = 0;
  for (const [index, logId] of logIds.entries()) {
    for await (const record of context.deliveryRecords(logId, from)) {
      if (recordCount++ % RECORDS_PER_STEP === 0)
        await context.step(`Reading delivery log ${index + 1} of ${logIds.length}: ${recordCount} records`);
      yield record;
    }
  }
}

/** Returns the ids of an organization's assistants, and of all its delivery logs, those of deleted Actions included. */
async function logsOf(orgId: string, { store, erasure }: PersonContext) {
  await requireExisting(orgId, { store });
  const { actions, unreadable } = await store.listActions(orgId);
  // Of an Action or an assistant that cannot be read, the id is known, and nothing else is needed.
  const logIds = new Set([...actions, ...unreadable].map(({ action_id }) => action_id));
  const siteIds = new Set<string>();
  const assistantList = await store.listAssistants(orgId);
  for (const { site_id } of [...assistantList.assistants, ...assistantList.unreadable]) {
    siteIds.add(site_id);
    for (const logId of await erasure.logsOfDeletedActions(orgId, site_id)) logIds.add(logId);
    logIds.add(usageLogId(site_id));
  }
  return { siteIds, logIds: [...logIds] };
}

const DAY_MS = 86_400_000;
/** An event is usually delivered, with its retries, in this time, so only newer ones may still add a record. */
const DELIVERED_MS = 600_000;
/** Sorts after every time in ISO 8601, so that any attempt in progress is older. */
const LATER_THAN_ALL = '~';

export type PersonCounts = {
  readonly records_read: number;
  /** Records with a payload or a response that are about the person. */
  readonly records: number;
  readonly conversations: number;
  readonly counters: number;
  /** Records of the audit trail that name the person. */
  readonly changes: number;
  /** Records of the person in progress, and of events anybody's, because the payload is still in a queue or in a function. */
  readonly unfinished_records: number;
  /** Records without an id of the person, of whose payload the log has only the beginning. */
  readonly cut_payloads: number;
};

/**
 * Erases the data of a person: payload and response of every delivery record that has one of the ids, the person's conversations,
 * the counters of the person's addresses, and the person's ids in the audit trail. The outcome of each delivery stays (docs/decisions/0003). Ended records never change again, so
 * no delivery restores what was erased. Records of attempts in progress are read again after 30 s, together with all recent events.
 * An interrupted run can be repeated: conversations, which lead to further records, are erased last.
 * @param isDryRun only counts what it would erase
 * @throws Refusal as findPerson; ServiceError for records that cannot be read, after everything else but the conversations is erased
 */
export async function erasePerson(person: Person, isDryRun: boolean, context: PersonContext): Promise<PersonCounts> {
  const { erasure, now } = context;
  const startTime = now();
  const data = await findPerson(person, context);
  const subject = { org_id: person.orgId, entity_id: person.orgId };
  if (!isDryRun) await context.store.record(auditRecordOf('erase_person', subject, context));
  const { oldestUnfinished, ...counts } = await eraseRecords(data, { isDryRun }, context);
  if (!isDryRun) {
    await waitForRequestsInProgress(context);
    const recent = new Date(startTime.getTime() - DELIVERED_MS).toISOString();
    const from = oldestUnfinished < recent ? oldestUnfinished : recent;
    const { records, unfinished_records } = await eraseRecords(data, { from, isDryRun }, context);
    counts.records += records;
    counts.unfinished_records = unfinished_records;
  }
  const counters = await erasure.eraseCounters(data.counterKeys, { isDryRun });
  let changes = 0;
  for await (const auditItem of erasure.auditItems(person.orgId)) {
    const remainingRecord = withoutPerson(auditItem.record, person.ids);
    if (remainingRecord === undefined) continue;
    if (!isDryRun) await erasure.replaceAudit(auditItem, remainingRecord);
    changes += 1;
  }
  if (!isDryRun) {
    requireReadable(context.unreadableRecords());
    for (const { site_id, conversation_id } of data.conversations) {
      await context.step('Erasing conversations');
      await erasure.eraseConversation(site_id, conversation_id);
    }
  }
  return { ...counts, conversations: data.conversations.length, counters, changes };
}

/** Until when copies of data written until `at` can exist that no command erases. @param archiveDays if any */
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

/** Erases or counts the content of the person's records, and finds when the oldest attempt in progress began. @param options.from ISO 8601; only attempts begun since */
async function eraseRecords(
  { logIds, recordIds }: PersonData,
  { from, isDryRun }: { readonly from?: string; readonly isDryRun: boolean },
  context: PersonContext,
) {
  const counts = { records_read: 0, records: 0, unfinished_records: 0, cut_payloads: 0 };
  let oldestUnfinished = LATER_THAN_ALL;
  for await (const record of recordsOf(logIds, from, context)) {
    counts.records_read += 1;
    const { payload, response_excerpt, state, trigger, started_at } = record;
    const isPersons = isAboutPerson(record, recordIds);
    // The payload of a started attempt of an event may still be only in the queue's message. Whose it is, is then not known.
    if (state === 'started' && (payload === null ? trigger === 'event' : isPersons)) {
      counts.unfinished_records += 1;
      if (started_at < oldestUnfinished) oldestUnfinished = started_at;
    }
    if (!isPersons && record.payload_cut) counts.cut_payloads += 1;
    if (!isPersons || (payload ?? response_excerpt) === null) continue;
    const now = context.now();
    const endedBefore = new Date(now.getTime() - IN_PROGRESS_MS);
    if (isDryRun || (await context.erasure.eraseContent(record, { now, endedBefore }))) counts.records += 1;
  }
  return { ...counts, oldestUnfinished };
}

/** Returns whether a record has one of the ids: in the text of its payload or response, or as the whole `reference` or `trigger_ref`. */
export function isAboutPerson(
  { payload, response_excerpt, reference, trigger_ref }: DeliveryRecord,
  ids: ReadonlySet<string>,
): boolean {
  if (ids.has(reference) || ids.has(trigger_ref)) return true;
  return [payload, response_excerpt].some((text) => text !== null && hasId(text, ids));
}

/** A string or a number in JSON. The closing quotation mark is optional so that no text makes the expression go back. */
const JSON_STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[^\s,\]}]*/g;
/** What stands for one character in a string of JSON. */
const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g;

/**
 * Returns whether a stored text has one of the ids as a whole. Searches the text as it is stored: in JSON every name, string and number, also of a
 * field whose name stands there again, of which a parser returns the last. In other text, such as JSON that was cut, no character
 * of an id may stand beside it. Upper and lower case differ.
 */
function hasId(text: string, ids: ReadonlySet<string>): boolean {
  if (parseJson(text) === undefined) {
    const unescapedText = text.replace(JSON_ESCAPE, (character) => String(parseJson(`"${character}"`)));
    return [...ids].some((id) => standsAlone(text, id) || standsAlone(unescapedText, id));
  }
  for (const [word] of text.matchAll(JSON_STRING_OR_NUMBER)) {
    if (ids.has(word.startsWith('"') ? String(parseJson(word)) : word)) return true;
  }
  return false;
}

/** Returns a record of the audit trail without the texts that have an id; undefined when none has. */
function withoutPerson(record: AuditRecord, ids: readonly string[]): AuditRecord | undefined {
  let isNamed = false;
  const withoutIds = <Text extends string | null>(text: Text) => {
    if (text === null || !ids.some((id) => text === id || standsAlone(text, id))) return text;
    isNamed = true;
    return ERASED;
  };
  const { by, entity_id, name, changes } = record;
  const remainingRecord = {
    ...record,
    by: {
      sub: withoutIds(by.sub),
      email: withoutIds(by.email),
      ...(by.arn !== undefined && { arn: withoutIds(by.arn) }),
    },
    entity_id: withoutIds(entity_id),
    ...(name !== undefined && { name: withoutIds(name) }),
    ...(changes && {
      changes: changes.map(({ field, before, after }) => ({
        field,
        before: withoutIds(before),
        after: withoutIds(after),
      })),
    }),
  };
  return isNamed ? remainingRecord : undefined;
}

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
