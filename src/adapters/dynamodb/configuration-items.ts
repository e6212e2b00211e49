import * as z from 'zod';
import { actionShape, SEALED, STORED_WITH_SETTINGS } from '../../contract/action-shape.ts';
import type { Action, AiAction, FormAction, Offered } from '../../contract/actions.ts';
import { ASSISTANT } from '../../contract/assistants.ts';
import {
  AUDIT_PARTITION,
  AUDIT_RECORD,
  type AuditRecord,
  MEMBERSHIP,
  ORGANIZATION,
} from '../../contract/organizations.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { DynamoDb } from './client.ts';
import { itemReader } from './stored-items.ts';

/** Schemas of the stored items of the configuration table (docs/architecture.md, "Data"). */

type Key = { readonly pk: string; readonly sk: string };

const key = { pk: z.string(), sk: z.string() };
/** Creates the reader of an item whose ids must match its key, because they decide who may read it. */
const keyedReader = <Item extends Key>(schema: z.ZodType<Item>, keyOf: (item: Item) => Key) =>
  itemReader(
    schema.refine((item) => item.pk === keyOf(item).pk && item.sk === keyOf(item).sk, {
      error: 'its ids do not match its key',
    }),
  );

export const readOrganization = keyedReader(
  z.object({ ...key, organization: z.looseObject(ORGANIZATION) }),
  ({ organization }) => KEYS.organization(organization.org_id),
);

export const readAssistant = keyedReader(z.object({ ...key, assistant: z.looseObject(ASSISTANT) }), ({ assistant }) =>
  KEYS.assistant(assistant.site_id),
);

/** What an Action of every trigger has beside its settings: its ids, version and restrictions, and the sealed signing secret. */
const ofEveryAction = { ...STORED_WITH_SETTINGS, ...SEALED };
/** The settings by trigger, with loose objects, so that a change keeps the fields of newer code. */
const shape = actionShape(z.looseObject);

const jsonText = z
  .string()
  .transform((text) => parseJson(text))
  .refine((value) => value !== undefined, { error: 'it is not JSON', abort: true });
const aiDecided = {
  trigger: z.literal('AI-decided'),
  ...shape['AI-decided'],
  parameters: jsonText.pipe(shape['AI-decided'].parameters.unwrap()).optional(),
  response_field_map: jsonText.pipe(shape['AI-decided'].response_field_map.unwrap()).optional(),
};

/** Returns an Action as it is stored. What customers name is JSON text, because a name such as `constructor` cannot be that of a map. */
export const storedAction = (action: Action | Offered<FormAction> | Offered<AiAction>) =>
  action.trigger === 'AI-decided'
    ? {
        ...action,
        parameters: action.parameters && JSON.stringify(action.parameters),
        response_field_map: action.response_field_map && JSON.stringify(action.response_field_map),
      }
    : action;

const action = z.discriminatedUnion('trigger', [
  z.looseObject({ trigger: z.literal('Event'), ...shape.Event, ...ofEveryAction }),
  z.looseObject({ ...aiDecided, ...ofEveryAction }),
  z.looseObject({ trigger: z.literal('Form'), ...shape.Form, ...ofEveryAction }),
]);

export const readAction = keyedReader(z.object({ ...key, action }), ({ action: { org_id, action_id } }) =>
  KEYS.action(org_id, action_id),
);

/**
 * Reads the fields that decide whether an Action receives an event, also of an Action that cannot be read as a whole. Its `action_id` and
 * `org_id` are not read, because the item's key has them. @throws as an ItemReader
 */
export const readSubscription = itemReader(
  z.object({
    action: z.object({
      trigger: z.string(),
      site_id: z.string(),
      enabled: z.boolean(),
      events: z.array(z.string()).default([]),
    }),
  }),
);

export const readActionOwner = itemReader(z.object({ org_id: z.string() }));

/** Reads the copy of a Form or AI-decided Action, without its secret, in the item that keeps its slug unique. */
export const readOffer = keyedReader(
  z.object({
    ...key,
    action: z.discriminatedUnion('trigger', [
      z.looseObject({ ...aiDecided, ...STORED_WITH_SETTINGS }),
      z.looseObject({ trigger: z.literal('Form'), ...shape.Form, ...STORED_WITH_SETTINGS }),
    ]),
  }),
  ({ action: { site_id, trigger, slug } }) => KEYS.slug(site_id, trigger, slug),
);

/** Reads what a creation with an idempotency key has made. `expires_at` is in Unix seconds. */
export const readCreation = itemReader(z.object({ created_id: z.string(), expires_at: z.number() }));

export const readMembership = keyedReader(
  z.object({ ...key, membership: z.looseObject(MEMBERSHIP) }),
  ({ membership: { org_id, sub } }) => KEYS.member(org_id, sub),
);

export const readAuditRecord = itemReader(z.object({ ...key, record: z.object(AUDIT_RECORD) }));

export const ANY = '';

export const auditPartition = (orgId: string) => `${AUDIT_PARTITION}${orgId}`;

type AuditKeyParts = Pick<AuditRecord, 'org_id' | 'at' | 'entity_id' | 'version' | 'operation'>;

/** Keys of the table (docs/architecture.md, "Data"). With ANY as its last id, a sort key is the prefix of its kind. */
export const KEYS = {
  organization: (orgId: string) => ({ pk: `ORG#${orgId}`, sk: 'ORG' }),
  organizationSite: (orgId: string, siteId: string) => ({ pk: `ORG#${orgId}`, sk: `SITE#${siteId}` }),
  action: (orgId: string, actionId: string) => ({ pk: `ORG#${orgId}`, sk: `ACTION#${actionId}` }),
  actionOwner: (actionId: string) => ({ pk: `ACTION#${actionId}`, sk: 'OWNER' }),
  assistant: (siteId: string) => ({ pk: `SITE#${siteId}`, sk: 'ASSISTANT' }),
  slug: (siteId: string, trigger: string, slug: string) => ({ pk: `SITE#${siteId}`, sk: `SLUG#${trigger}#${slug}` }),
  member: (orgId: string, sub: string) => ({ pk: `ORG#${orgId}`, sk: `MEMBER#${sub}` }),
  /** Leads from a login to the organizations it belongs to. */
  memberOrganization: (sub: string, orgId: string) => ({ pk: `MEMBER#${sub}`, sk: `ORG#${orgId}` }),
  audit: ({ org_id, at, entity_id, version, operation }: AuditKeyParts) => ({
    pk: auditPartition(org_id),
    sk: `${at}#${entity_id}#${version}#${operation}`,
  }),
  /** Item for the delivery log of a deleted Action, which still exists and is erased with the assistant. */
  logOfDeletedAction: (orgId: string, siteId: string, actionId: string) => ({
    pk: `ORG#${orgId}`,
    sk: `LOG#${siteId}#${actionId}`,
  }),
  /** Item of an idempotency key of a creation. It outlives what was created. */
  creation: (orgId: string, sub: string, key: string) => ({ pk: `ORG#${orgId}`, sk: `CREATED#${sub}#${key}` }),
  domain: (entry: string, siteId: string) => ({ pk: `DOMAIN#${entry}`, sk: `SITE#${siteId}` }),
} as const;

/** The condition of a put that must not replace an item. */
export const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

/**
 * Makes writes and their audit record, all or none. The record replaces none (docs/decisions/0006): while another one has its key, it gets the
 * time of the next millisecond.
 * @returns the positions of the writes whose conditions did not hold
 */
export async function writeRecorded(
  client: Pick<DynamoDb, 'transactWrite'>,
  table: string,
  writes: Parameters<DynamoDb['transactWrite']>[0],
  record: AuditRecord | undefined,
): Promise<readonly number[]> {
  if (record === undefined) return client.transactWrite(writes);
  for (let at = Date.parse(record.at); ; at++) {
    const recordAt = { ...record, at: new Date(at).toISOString() };
    const audit = { Put: { TableName: table, Item: { ...KEYS.audit(recordAt), record: recordAt }, ...ABSENT } };
    const refusedPositions = await client.transactWrite([...writes, audit]);
    if (!refusedPositions.includes(writes.length)) return refusedPositions;
  }
}

/** The condition that an organization or an assistant exists and is not being deleted. */
export const notDeleted = (entity: 'organization' | 'assistant') => ({
  ConditionExpression: `attribute_exists(${entity}) AND attribute_not_exists(${entity}.deleting)`,
});
