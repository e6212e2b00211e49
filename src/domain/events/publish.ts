import type { EventName } from '../../contract/events.ts';
import type { JsonObject } from '../../contract/json.ts';

/** A catalog event on its way to the bus; without a site it is the organization's. */
export type CatalogEvent = {
  readonly event: EventName;
  readonly org_id: string;
  readonly site_id?: string;
  readonly data: JsonObject;
};

/** Puts a catalog event on the bus. */
export type PublishEvent = (event: CatalogEvent) => Promise<void>;
