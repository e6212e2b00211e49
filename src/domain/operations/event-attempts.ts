import type { DeliveryRecord } from '../../contract/deliveries.ts';
import type { Clock } from '../sources.ts';

/** When the bus accepted an event: the exact time as in its envelope, or a time window. ISO 8601, UTC. */
export type EventTime = { readonly at: string } | { readonly from: string; readonly to: string };

export type EventAttempt = DeliveryRecord & {
  /** The envelope's timestamp, or the time of the attempt when no event caused it. The log is sorted by this time. */
  readonly event_time: string;
};

/** Returns the records of an event in an Action's delivery log, in the order of the attempts (adapters/dynamodb). */
export type FindEventAttempts = (
  actionId: string,
  eventId: string,
  when: EventTime,
) => Promise<readonly EventAttempt[]>;

/** Reads a delivery log from the newest event back to `from`, or to its end (adapters/dynamodb). */
export type ReadLog = (logId: string, from?: string) => AsyncIterable<EventAttempt>;

/** Where an operator searches for an event: at its exact time, or in a number of hours before now. */
export type EventSearch = { readonly at: string } | { readonly hours: number };

const HOUR_MS = 3_600_000;
/** Allowance for a clock of the bus that is ahead of ours. */
const AHEAD_MS = 60_000;

export function eventTime(search: EventSearch, now: Clock): EventTime {
  if ('at' in search) return search;
  const time = now().getTime();
  return {
    from: new Date(time - search.hours * HOUR_MS).toISOString(),
    to: new Date(time + AHEAD_MS).toISOString(),
  };
}

/** Describes the searched time for a message. */
export function searched(search: EventSearch): string {
  return 'at' in search ? `at ${search.at}` : `in the last ${search.hours} hours`;
}
