import type { DeliveryRecord } from '../../contract/deliveries.ts';
import type { Clock } from '../sources.ts';

/** When the bus took an event: exactly, as in its envelope, or somewhere in a window. ISO 8601, UTC. */
export type EventTime = { readonly at: string } | { readonly from: string; readonly to: string };

export type EventAttempt = DeliveryRecord & {
  /** The envelope's timestamp; of a request that no event caused, when it was made. The log is sorted by it. */
  readonly event_time: string;
};

/** What an Action's log holds of an event, in the order of the attempts (adapters/dynamodb). */
export type FindEventAttempts = (
  actionId: string,
  eventId: string,
  when: EventTime,
) => Promise<readonly EventAttempt[]>;

/** An Action's log: records of the newest event first, without those of events before `from` (adapters/dynamodb). */
export type ReadLog = (logId: string, from?: string) => AsyncIterable<EventAttempt>;

/** What an operator says of when an event was: its time, or how many hours to look back. */
export type EventSearch = { readonly at: string } | { readonly hours: number };

const HOUR_MS = 3_600_000;
/** The bus's clock is not ours. */
const AHEAD_MS = 60_000;

export function eventTime(search: EventSearch, now: Clock): EventTime {
  if ('at' in search) return search;
  const time = now().getTime();
  return {
    from: new Date(time - search.hours * HOUR_MS).toISOString(),
    to: new Date(time + AHEAD_MS).toISOString(),
  };
}

/** For messages: where was looked. */
export function searched(search: EventSearch): string {
  return 'at' in search ? `at ${search.at}` : `in the last ${search.hours} hours`;
}
