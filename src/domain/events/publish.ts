import type { JsonObject } from '../../contract/envelope.ts';
import type { EventName } from '../../contract/events.ts';

/** Puts a catalog event on the bus; an event without a site is the organization's. */
export type PublishEvent = (event: {
  readonly event: EventName;
  readonly org_id: string;
  readonly site_id?: string;
  readonly data: JsonObject;
}) => Promise<void>;
