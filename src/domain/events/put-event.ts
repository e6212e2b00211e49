import { closestName } from '../../contract/closest-name.ts';
import { type CatalogEvent, EVENT_CATALOG, EVENT_NAMES } from '../../contract/events.ts';
import { exceedsLevels, isJsonObject } from '../../contract/fields.ts';
import { EVENT_DATA_MAX_LEVELS, EVENT_DETAIL_MAX_BYTES } from '../../contract/limits.ts';
import { groupId, messageText } from '../../contract/queues.ts';
import type { ActionList, Context } from '../context.ts';
import { requireAssistant } from '../organizations/manage-assistants.ts';
import { requireOrganization } from '../organizations/manage-organizations.ts';
import { inputOf, invalidField } from '../refusal.ts';
import { isSubscribed } from './route-event.ts';

type EventInput = {
  readonly event: string;
  readonly org_id: unknown;
  readonly site_id?: unknown;
  readonly data: unknown;
};

/** An event that was put on the bus, and what becomes of it. */
export type PutEventResult = CatalogEvent & {
  /** The envelope id of every delivery of this event. */
  readonly id: string;
  /** True for an event that is registered but never delivered (spec "Events", R). */
  readonly is_reserved: boolean;
  readonly subscriber_ids: readonly string[];
  /** Actions of the organization that may be subscribed as well. */
  readonly unreadable: ActionList['unreadable'];
};

/** The most characters that a mistyped name differs by: `form.submit` differs from `form.submitted` by three. */
const MOST_CHANGES = 3;

/** Checks an event before the bus, behind which nobody could answer. @throws Refusal 400 that names the field, 404 */
export async function checkEvent(input: EventInput, context: Context<'store'>): Promise<CatalogEvent> {
  const { data } = input;
  const event = EVENT_NAMES.find((name) => name === input.event);
  if (event === undefined) {
    const closest = closestName(input.event, EVENT_NAMES, MOST_CHANGES);
    const hint = closest === undefined ? '' : `; did you mean ${closest}?`;
    throw invalidField('event', `${input.event} is not in the catalog${hint}`);
  }
  if (!isJsonObject(data)) throw invalidField('data', 'must be a JSON object');
  if (exceedsLevels(data, EVENT_DATA_MAX_LEVELS)) {
    throw invalidField('data', `must not be nested in more than ${EVENT_DATA_MAX_LEVELS} levels`);
  }
  const integer = largeInteger(data, 'data');
  const integerProblem =
    'must be an integer of 64 bits, the largest that EventBridge takes; write a larger one as text';
  if (integer !== undefined) throw invalidField(integer, integerProblem);
  // The event-router checks these ids in the same way, and would drop the event.
  const org_id = inputOf(groupId, input.org_id, 'org_id');
  const site_id = inputOf(groupId.nullish(), input.site_id, 'site_id') ?? undefined;
  await requireOrganization(org_id, context);
  if (site_id !== undefined && (await requireAssistant(site_id, context)).org_id !== org_id) {
    throw invalidField('site_id', `${site_id} belongs to another organization`);
  }
  return { event, org_id, site_id, data };
}

/** Returns the path of the first integer that EventBridge does not take (https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html). */
function largeInteger(value: unknown, path: string): string | undefined {
  const digits = JSON.isRawJSON(value) ? value.rawJSON : typeof value === 'number' ? String(value) : '';
  if (/^-?\d+$/.test(digits))
    return digits.length > 20 || BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits) ? path : undefined;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return undefined;
  for (const [name, part] of Object.entries(value)) {
    const place = largeInteger(part, `${path}.${name}`);
    if (place !== undefined) return place;
  }
  return undefined;
}

/**
 * Puts a catalog event on the bus for the operator, in the same form as the platform does.
 * @throws Refusal 400 that names the field, also for an event that may not fit into the queue behind the bus; 404 for an unknown organization
 * or assistant
 */
export async function putEvent(input: EventInput, context: Context<'store' | 'publish'>): Promise<PutEventResult> {
  const checkedEvent = await checkEvent(input, context);
  const { event: name, ...detail } = checkedEvent;
  if (Buffer.byteLength(messageText(detail)) > EVENT_DETAIL_MAX_BYTES)
    throw invalidField('data', `must have at most ${EVENT_DETAIL_MAX_BYTES} bytes with org_id and site_id`);
  const is_reserved = EVENT_CATALOG[name].reserved;
  const { actions, unreadable } = await context.store.listActions(detail.org_id);
  const subscriber_ids = actions
    .filter((action) => action.trigger === 'Event' && !is_reserved && isSubscribed(action, name, detail.site_id))
    .map(({ action_id }) => action_id);
  return { id: await context.publish(checkedEvent), ...checkedEvent, is_reserved, subscriber_ids, unreadable };
}
