import * as z from 'zod';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type {
  RouteEventPorts,
  Subscriber,
  SubscriberList,
  UnreadableSubscriber,
} from '../../domain/events/route-event.ts';
import type { Clock } from '../../domain/sources.ts';
import { together } from '../together.ts';
import type { DynamoDb } from './client.ts';
import { KEYS, SORT_PREFIXES } from './configuration-keys.ts';
import { actionIdIn } from './configuration-reads.ts';
import { ITEMS_AT_ONCE, itemsOf, itemsWithPrefix } from './item-reads.ts';
import { readSubscription } from './stored-configuration.ts';
import { isUnreadable, type StoredItem } from './stored-item.ts';

/**
 * Time in milliseconds for which subscriptions are kept. An item that an operator writes back by hand (docs/runbook.md) does not raise
 * `subscriptions_version`; it is seen after this time at the latest.
 */
const KEPT_MS = 60_000;
/** Number of organizations whose subscriptions a container keeps. */
const KEPT_MAX = 500;

/**
 * Creates the read of an organization's subscriptions. Reading them means reading the organization's Actions as a whole, so a container
 * keeps them. Each call reads the organization's item, strongly consistently: the transaction of every change of an Event Action raises
 * `subscriptions_version` there, and every new or deleted Action changes `action_count`. Only when both are as before, the kept
 * subscriptions are the current ones. The events of a batch share a call for the items of all their organizations.
 */
export function subscriptionReads(client: DynamoDb, table: string, now: Clock): RouteEventPorts['subscribersOf'] {
  type Read = Omit<SubscriberList, 'exists'>;
  type Kept = { readonly version: string; readonly readAt: number; readonly list: Read };
  const kept = new BoundedMap<string, Kept>(KEPT_MAX);

  const read = async (orgId: string): Promise<Read> => {
    const subscribers: Subscriber[] = [];
    const unreadable: UnreadableSubscriber[] = [];
    for (const item of await itemsWithPrefix(client, table, KEYS.organization(orgId).pk, SORT_PREFIXES.eventAction)) {
      const action_id = actionIdIn(table, item);
      try {
        const { trigger, ...subscription } = readSubscription(table, item).action;
        if (trigger === 'Event') subscribers.push({ action_id, ...subscription });
      } catch (cause) {
        if (!isUnreadable(cause)) throw cause;
        unreadable.push({ action_id, cause });
      }
    }
    return { subscribers, unreadable };
  };

  const current = async (orgId: string, readAt: number, version: string | undefined) => {
    const known = kept.get(orgId);
    if (known !== undefined && known.version === version && readAt - known.readAt < KEPT_MS) return known.list;
    const list = await read(orgId);
    if (version !== undefined && list.unreadable.length === 0) kept.set(orgId, { version, readAt, list });
    return list;
  };

  return together(
    (orgIds: readonly string[]) => {
      const readAt = now().getTime();
      const items = itemsOf(client, table, orgIds.map(KEYS.organization));
      return orgIds.map(async (orgId, index): Promise<SubscriberList> => {
        const item = await items[index];
        return { exists: item !== undefined, ...(await current(orgId, readAt, versionIn(item))) };
      });
    },
    { atMost: ITEMS_AT_ONCE },
  );
}

const owned = z.object({ assistant: z.object({ org_id: z.string() }) });

/** Creates the read that tells whether an organization has an assistant. The events of a batch share a call. */
export function assistantOwners(client: DynamoDb, table: string): RouteEventPorts['hasAssistant'] {
  const assistantItem = together((siteIds: readonly string[]) => itemsOf(client, table, siteIds.map(KEYS.assistant)), {
    atMost: ITEMS_AT_ONCE,
  });
  return async (orgId, siteId) => {
    const item = await assistantItem(siteId);
    // An item that cannot be read fails where more of it is needed.
    return item !== undefined && (owned.safeParse(item).data?.assistant.org_id ?? orgId) === orgId;
  };
}

/** What tells that subscriptions changed. A new organization has no `subscriptions_version` yet. */
const counts = z.object({ action_count: z.number(), subscriptions_version: z.number().default(0) });

function versionIn(item: StoredItem | undefined): string | undefined {
  const { data } = counts.safeParse(item);
  return data && `${data.action_count} ${data.subscriptions_version}`;
}
