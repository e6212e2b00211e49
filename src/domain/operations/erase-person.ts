import { RETENTION_DAYS } from '../../contract/retention.ts';
import type { Clock } from '../sources.ts';
import { type ErasePorts, type Erasure, IN_PROGRESS_MS, waitForRequestsInProgress } from './erase.ts';
import type { EventAttempt } from './event-attempts.ts';
import { findPerson, type Person, type PersonData, type ReadPorts, recordsOf } from './person.ts';

type Ports = ReadPorts &
  Pick<ErasePorts, 'pause'> & {
    readonly erasure: Pick<
      Erasure,
      'conversations' | 'countCounters' | 'eraseContent' | 'eraseConversation' | 'eraseCounters' | 'recordErasure'
    >;
    readonly now: Clock;
  };

const DAY_MS = 86_400_000;
/** An event is usually delivered, with its retries, in this time. */
const DELIVERED_MS = 600_000;
/** Sorts after every time. */
const LATER_THAN_ALL = '~';
/** Different places that are counted. Customers choose the names of fields. */
const PLACES_MAX = 100;

/** What a search has found, or an erasure has erased. */
export type PersonCounts = {
  /** Records that were read. */
  readonly records_read: number;
  /** Records whose payload or response has an id of the person. */
  readonly records: number;
  /** Those records by the place of the id. */
  readonly places: Readonly<Record<string, number>>;
  readonly conversations: number;
  readonly counters: number;
  /** Records in progress, whose payload is still in a queue or in a function. */
  readonly unfinished: number;
  /** Records without an id of the person, of whose payload the log has only the beginning. */
  readonly cut_payloads: number;
};

/** Counts what `erasePerson` would erase. @throws Refusal as findPerson */
export async function countPerson(person: Person, ports: Ports): Promise<PersonCounts> {
  const data = await findPerson(person, ports);
  const places: Places = new Map();
  const { counts } = await searchLogs(data, undefined, ports, places, async () => true);
  const counters = await ports.erasure.countCounters(data.counters);
  return { ...counts, places: Object.fromEntries(places), conversations: data.conversations.length, counters };
}

/**
 * Erases the data of a person: payload and response of every delivery record that has one of the ids, the person's conversations, and
 * the counters of the person's addresses. The outcome of each delivery stays (docs/decisions/0003). Ended records never change again, so
 * no delivery restores what was erased. Records of attempts in progress are read again after 30 s, together with all recent events.
 * An interrupted run can be repeated: conversations, which lead to further records, are erased last.
 * @throws Refusal as findPerson
 */
export async function erasePerson(person: Person, ports: Ports): Promise<PersonCounts> {
  const { erasure, now } = ports;
  const began = now();
  const data = await findPerson(person, ports);
  await erasure.recordErasure(person.orgId, began);
  const erase = async (record: EventAttempt) => {
    return erasure.eraseContent(record, { now: now(), endedBefore: new Date(now().getTime() - IN_PROGRESS_MS) });
  };
  const places: Places = new Map();
  const first = await searchLogs(data, undefined, ports, places, erase);
  await waitForRequestsInProgress(ports);
  const recent = new Date(began.getTime() - DELIVERED_MS).toISOString();
  const from = first.oldestUnfinished < recent ? first.oldestUnfinished : recent;
  const second = await searchLogs(data, from, ports, places, erase);
  for (const { site_id, conversation_id } of data.conversations) {
    await ports.step('Erasing conversations');
    await erasure.eraseConversation(site_id, conversation_id);
  }
  return {
    ...first.counts,
    records: first.counts.records + second.counts.records,
    places: Object.fromEntries(places),
    conversations: data.conversations.length,
    counters: await erasure.eraseCounters(data.counters),
    unfinished: second.counts.unfinished,
  };
}

/** Until when copies that no command erases can exist. ISO 8601, UTC. */
export type Remaining = Readonly<Record<keyof typeof RETENTION_DAYS, string>>;

/** Returns when the last copies of data expire that were written until `at`. */
export function remainingUntil(at: Date): Remaining {
  const after = (days: number) => new Date(at.getTime() + days * DAY_MS).toISOString();
  const { queues, dead_letters, backups } = RETENTION_DAYS;
  return { queues: after(queues), dead_letters: after(dead_letters), backups: after(backups) };
}

/** Number of records by the place of the id in them. */
type Places = Map<string, number>;

async function searchLogs(
  { logs, placeOf }: PersonData,
  from: string | undefined,
  ports: Pick<ReadPorts, 'deliveryRecords' | 'step'>,
  places: Places,
  found: (record: EventAttempt) => Promise<boolean>,
) {
  const counts = { records_read: 0, records: 0, unfinished: 0, cut_payloads: 0 };
  let oldestUnfinished = LATER_THAN_ALL;
  for await (const record of recordsOf(logs, from, ports)) {
    counts.records_read += 1;
    const { payload, response_excerpt, state, trigger, event_time } = record;
    const place = placeOf(record);
    if (state === 'started' && (payload === null ? trigger === 'event' : place !== undefined)) {
      counts.unfinished += 1;
      if (event_time < oldestUnfinished) oldestUnfinished = event_time;
    }
    if (place === undefined && record.payload_cut) counts.cut_payloads += 1;
    if (place === undefined || (payload ?? response_excerpt) === null || !(await found(record))) continue;
    counts.records += 1;
    const shown = places.has(place) || places.size < PLACES_MAX ? place : 'other places';
    places.set(shown, (places.get(shown) ?? 0) + 1);
  }
  return { counts, oldestUnfinished };
}
