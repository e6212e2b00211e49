import type { EventName } from './events.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** Body of an Event Action request (spec "Event envelope"). */
export type Envelope = {
  /** UUID, fresh per event; receivers are idempotent on it. */
  readonly id: string;
  readonly event: EventName;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: JsonObject;
  readonly site_id: string;
  readonly org_id: string;
};
