import * as z from 'zod';
import type { Action, AiAction, FormAction, Offered, Trigger } from '../../contract/actions.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { Configuration, ConfigurationStore, Offers, SubscriberList, Subscriptions } from '../../domain/context.ts';
import type { Clock } from '../../domain/sources.ts';
import { inBatches } from '../batching.ts';
import { batchedReads } from './batch-calls.ts';
import type { DynamoDb, StoredItem } from './client.ts';
import { ANY, KEYS, readAction, readAssistant, readOffer, readSubscription } from './configuration-items.ts';
import { allUnder, findItem, itemsWithPrefix, readEach, readKey } from './stored-items.ts';

/**
 * Creates the reads of the configuration that requests need. All are strongly consistent, so that a change in the dashboard takes effect with the
 * next request. An item that cannot be read is an UnreadableItem or a NewerItem error; in a list it affects only that item.
 */
export function configurationReads(
  client: DynamoDb,
  table: string,
): Configuration & Pick<ConfigurationStore, 'listActions'> {
  const findAction = async (orgId: string, actionId: string): Promise<Action | undefined> =>
    (await findItem(client, table, KEYS.action(orgId, actionId), readAction))?.action;

  /** Finds the Action that a slug leads to. Reads the Action itself too, because the item of the slug has no signing secret. */
  const bySlug = async <Kind extends Trigger>(siteId: string, trigger: Kind, slug: string) => {
    const offer = await findItem(client, table, KEYS.slug(siteId, trigger, slug), readOffer);
    const action = offer && (await findAction(offer.action.org_id, offer.action.action_id));
    return action !== undefined && hasTrigger(action, trigger) ? action : undefined;
  };

  /** Reads an assistant's enabled Actions of a trigger from the items of their slugs, in the order of the slugs. */
  const offers = async <Kind extends 'Form' | 'AI-decided'>(siteId: string, trigger: Kind) => {
    const [actions, unreadable] = readEach(
      await itemsWithPrefix(client, table, KEYS.slug(siteId, trigger, ANY)),
      (item): Offered<FormAction> | Offered<AiAction> => readOffer(table, item).action,
      // The Action's id is in the part that cannot be read, so its key, which has the slug, is reported instead.
      (item) => ({ action_id: sortKeyIn(table, item), site_id: siteId }),
    );
    const enabled = actions.filter((action) => action.enabled);
    return { actions: enabled.filter((action) => hasTrigger(action, trigger)), unreadable };
  };

  return {
    findAction,
    findAssistant: async (siteId) => (await findItem(client, table, KEYS.assistant(siteId), readAssistant))?.assistant,
    listActions: async (orgId) => {
      const [actions, unreadable] = readEach(
        await itemsWithPrefix(client, table, KEYS.action(orgId, ANY)),
        (item) => readAction(table, item).action,
        (item) => ({ action_id: actionIdIn(table, item), site_id: siteIn(table, item) }),
      );
      return { actions, unreadable };
    },
    formsOf: (siteId): Promise<Offers<FormAction>> => offers(siteId, 'Form'),
    toolsOf: (siteId): Promise<Offers<AiAction>> => offers(siteId, 'AI-decided'),
    findForm: (siteId, slug) => bySlug(siteId, 'Form', slug),
    findTool: (siteId, slug) => bySlug(siteId, 'AI-decided', slug),
    anyDomain: async (entries) => {
      const partitions = entries.map((entry) => KEYS.domain(entry, ANY).pk);
      const pages = await Promise.all(partitions.map((pk) => client.query({ ...allUnder(table, pk), Limit: 1 })));
      // Each item is read, because one that newer code wrote is an error.
      return pages.flatMap(({ Items }) => Items.map((item) => readKey(table, item))).length > 0;
    },
  };
}

const hasTrigger = <Some extends { readonly trigger: Trigger }, Kind extends Trigger>(
  action: Some,
  trigger: Kind,
): action is Extract<Some, { trigger: Kind }> => action.trigger === trigger;

/** Returns the sort key of an item, also when newer code wrote the item: without `v` no reader refuses it. */
const sortKeyIn = (table: string, item: StoredItem) => readKey(table, { ...item, v: undefined }).sk;

/** Returns the id in the key of an Action's item, also when newer code wrote the item. */
const actionIdIn = (table: string, item: StoredItem) => sortKeyIn(table, item).slice(KEYS.action(ANY, ANY).sk.length);

/** Returns the site of an unreadable Action; undefined when it cannot be read either, or when newer code wrote the Action. */
function siteIn(table: string, item: StoredItem): string | undefined {
  const readSite = () => readSubscription(table, item).action.site_id;
  const [[siteId]] = readEach([item], readSite, () => ({}));
  return siteId;
}

/** Reads Actions for concurrent messages: those of one turn of the event loop share a call, and fail alone. */
export function batchedActionReads(client: Pick<DynamoDb, 'batchGet'>, table: string): Configuration['findAction'] {
  const itemOf = batchedReads(client, table);
  return async (orgId, actionId) => {
    const item = await itemOf(KEYS.action(orgId, actionId));
    return item === undefined ? undefined : readAction(table, item).action;
  };
}

// Of these items only some fields are read. One that cannot be read as a whole fails where more of it is needed.
export const assistantOfOrganization = z.object({ assistant: z.object({ org_id: z.string() }) });
export const deletedOrganization = z.object({ organization: z.object({ deleting: z.literal(true) }) });
/** A new organization has no `subscriptions_version` yet. */
const subscriptionsVersion = z.object({ subscriptions_version: z.number().default(0) });

/**
 * Time in milliseconds for which subscriptions are kept. An item that an operator writes back by hand (docs/runbook.md) does not raise
 * `subscriptions_version`; it is seen after this time at the latest.
 */
const KEPT_MS = 60_000;
const KEPT_ORGANIZATIONS_MAX = 500;

/**
 * Creates the read of an organization's subscriptions. Reading them means reading the organization's Actions as a whole, so a container
 * keeps them. Each call reads the organization's item, strongly consistently: the transaction of every creation, change and deletion of an
 * Action raises `subscriptions_version` there. While it is as before, the kept subscriptions are the current ones.
 */
export function subscriptionReads(client: DynamoDb, table: string, now: Clock): Subscriptions['subscribersOf'] {
  type EventActions = Omit<SubscriberList, 'exists'>;
  type Kept = { readonly version: number; readonly readAt: number; readonly list: EventActions };
  const keptSubscriptions = new BoundedMap<string, Kept>(KEPT_ORGANIZATIONS_MAX);
  const itemOf = batchedReads(client, table);

  const readSubscriptions = async (orgId: string): Promise<EventActions> => {
    // The ids of Event Actions begin so (ID_PREFIXES of domain/actions/manage-actions.ts).
    const items = await itemsWithPrefix(client, table, KEYS.action(orgId, 'act_'));
    const [subscribers, unreadable] = readEach(
      items,
      (item) => ({ action_id: actionIdIn(table, item), ...readSubscription(table, item).action }),
      (item) => ({ action_id: actionIdIn(table, item) }),
    );
    return { subscribers: subscribers.filter(({ trigger }) => trigger === 'Event'), unreadable };
  };

  /** Returns the kept Actions when they are of this version, and reads them otherwise. @param version undefined when it cannot be read: nothing is kept */
  const current = async (orgId: string, readAt: number, version: number | undefined): Promise<EventActions> => {
    const keptList = keptSubscriptions.get(orgId);
    if (keptList !== undefined && keptList.version === version && readAt - keptList.readAt < KEPT_MS)
      return keptList.list;
    const list = await readSubscriptions(orgId);
    if (version !== undefined && list.unreadable.length === 0) keptSubscriptions.set(orgId, { version, readAt, list });
    return list;
  };

  // The events of one organization share all reads, those of others the call for the items.
  return inBatches((orgIds: readonly string[]) =>
    orgIds.map(async (orgId): Promise<SubscriberList> => {
      const readAt = now().getTime();
      const item = await itemOf(KEYS.organization(orgId));
      const exists = item !== undefined && !deletedOrganization.safeParse(item).success;
      const version = subscriptionsVersion.safeParse(item).data?.subscriptions_version;
      return { exists, ...(await current(orgId, readAt, version)) };
    }),
  );
}

/**
 * Creates the read that tells whether an organization has an assistant. The events of a batch share a call. One whose organization cannot be
 * read counts as its own, because an event about it is routed anyway, and would otherwise be reported as one with a wrong site.
 */
export function assistantOwners(client: DynamoDb, table: string): Subscriptions['hasAssistant'] {
  const itemOf = batchedReads(client, table);
  return async (orgId, siteId) => {
    const item = await itemOf(KEYS.assistant(siteId));
    return item !== undefined && (assistantOfOrganization.safeParse(item).data?.assistant.org_id ?? orgId) === orgId;
  };
}
