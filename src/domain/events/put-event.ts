import { EVENT_CATALOG, EVENT_NAMES, type EventName } from '../../contract/events.ts';
import { exceedsLevels, isJsonObject } from '../../contract/json.ts';
import { EVENT_DATA_MAX_LEVELS } from '../../contract/limits.ts';
import { groupId } from '../../contract/queues.ts';
import { requireAssistant } from '../organizations/manage-assistants.ts';
import { requireOrganization } from '../organizations/manage-organizations.ts';
import type { ConfigurationStore } from '../organizations/store.ts';
import { invalidField } from '../refusal.ts';
import type { CatalogEvent } from './publish.ts';

export type PutEventPorts = {
  readonly store: ConfigurationStore;
  /** Puts the event on the bus. Returns the id that the bus assigned to it. */
  readonly putOnBus: (event: CatalogEvent) => Promise<string>;
};

export type PutEventResult = CatalogEvent & {
  /** The envelope id of every delivery of this event. */
  readonly id: string;
  /** True for an event that is registered but never delivered (spec "Events", R). */
  readonly reserved: boolean;
};

/**
 * Puts a catalog event on the bus for the operator, in the same form as the platform does.
 * @throws Refusal 400 that names the field, 404 for an unknown organization or assistant
 */
export async function putEvent(
  input: { readonly event: string; readonly org_id: string; readonly site_id?: string; readonly data: unknown },
  ports: PutEventPorts,
): Promise<PutEventResult> {
  const { event, org_id, site_id, data } = input;
  if (!isEventName(event)) throw invalidField('event', `${event} is not in the catalog`);
  if (!isJsonObject(data)) throw invalidField('data', 'must be a JSON object');
  if (exceedsLevels(data, EVENT_DATA_MAX_LEVELS)) {
    throw invalidField('data', `must not be nested in more than ${EVENT_DATA_MAX_LEVELS} levels`);
  }
  // As the intake does, which would drop the event.
  const group = groupId.safeParse(org_id);
  if (!group.success) throw invalidField('org_id', group.error.issues[0]?.message ?? 'is not valid');
  await requireOrganization(org_id, ports);
  if (site_id !== undefined && (await requireAssistant(site_id, ports)).org_id !== org_id) {
    throw invalidField('site_id', `${site_id} belongs to another organization`);
  }
  const sent: CatalogEvent = { event, org_id, ...(site_id === undefined ? {} : { site_id }), data };
  const id = await ports.putOnBus(sent);
  return { id, ...sent, reserved: EVENT_CATALOG[event].reserved };
}

function isEventName(text: string): text is EventName {
  return EVENT_NAMES.some((name) => name === text);
}
