import type { EventName } from '../../contract/events.ts';
import type { JsonObject } from '../../contract/json.ts';

/** A catalog event to put on the bus. An event without `site_id` belongs to the organization and to no assistant. */
export type CatalogEvent = {
  readonly event: EventName;
  readonly org_id: string;
  readonly site_id?: string;
  readonly data: JsonObject;
};

/** Puts a catalog event on the bus. */
export type PublishEvent = (event: CatalogEvent) => Promise<void>;
