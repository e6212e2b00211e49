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
import { itemReader } from './stored-items.ts';

/** Schemas of the stored items of the configuration table (docs/architecture.md, "Data"). */

type Key = { readonly pk: string; readonly sk: string };

const key = { pk: z.string(), sk: z.string() };
const isAt = (item: Key, { pk, sk }: Key) => item.pk === pk && item.sk === sk;
/** Error of an item at a wrong key. The ids in an entity decide who may read it, so they must match the key of its item. */
const ELSEWHERE = { error: 'its ids do not match its key' };

export const readOrganization = itemReader(
  z
    .object({ ...key, organization: z.looseObject(ORGANIZATION) })
    .refine((item) => isAt(item, KEYS.organization(item.organization.org_id)), ELSEWHERE),
);

export const readAssistant = itemReader(
  z
    .object({ ...key, assistant: z.looseObject(ASSISTANT) })
    .refine((item) => isAt(item, KEYS.assistant(item.assistant.site_id)), ELSEWHERE),
);

/** What an Action of every trigger has beside its settings: its ids, version and restrictions, and the sealed signing secret. */
const ofEveryAction = { ...STORED_WITH_SETTINGS, ...SEALED };
/** The settings by trigger, with loose objects, so that a change keeps the fields of newer code. */
const shape = actionShape(z.looseObject);

/** Reads JSON text as its value. */
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

export const readAction = itemReader(
  z
    .object({ ...key, action })
    .refine((item) => isAt(item, KEYS.action(item.action.org_id, item.action.action_id)), ELSEWHERE),
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
export const readOffer = itemReader(
  z
    .object({
      ...key,
      action: z.discriminatedUnion('trigger', [
        z.looseObject({ ...aiDecided, ...STORED_WITH_SETTINGS }),
        z.looseObject({ trigger: z.literal('Form'), ...shape.Form, ...STORED_WITH_SETTINGS }),
      ]),
    })
    .refine(({ action, ...item }) => isAt(item, KEYS.slug(action.site_id, action.trigger, action.slug)), ELSEWHERE),
);

/** Reads what a creation with an idempotency key has made. `expires_at` is in Unix seconds. */
export const readCreation = itemReader(z.object({ created_id: z.string(), expires_at: z.number() }));

export const readMembership = itemReader(
  z
    .object({ ...key, membership: z.looseObject(MEMBERSHIP) })
    .refine((item) => isAt(item, KEYS.member(item.membership.org_id, item.membership.sub)), ELSEWHERE),
);

export const readAuditRecord = itemReader(z.object({ record: z.object(AUDIT_RECORD) }));

/** Returns the partition key of the audit trail of an organization. */
export const auditPartition = (orgId: string) => `${AUDIT_PARTITION}${orgId}`;

/**
 * Keys of the configuration table (docs/architecture.md, "Data"). With an empty id at its end, the sort key is the prefix of those of all items
 * of the kind.
 */
export const KEYS = {
  organization: (orgId: string) => ({ pk: `ORG#${orgId}`, sk: 'ORG' }),
  organizationSite: (orgId: string, siteId: string) => ({ pk: `ORG#${orgId}`, sk: `SITE#${siteId}` }),
  action: (orgId: string, actionId: string) => ({ pk: `ORG#${orgId}`, sk: `ACTION#${actionId}` }),
  /** Item that has the organization of an Action, by the Action's id. */
  actionOwner: (actionId: string) => ({ pk: `ACTION#${actionId}`, sk: 'OWNER' }),
  assistant: (siteId: string) => ({ pk: `SITE#${siteId}`, sk: 'ASSISTANT' }),
  slug: (siteId: string, trigger: string, slug: string) => ({ pk: `SITE#${siteId}`, sk: `SLUG#${trigger}#${slug}` }),
  member: (orgId: string, sub: string) => ({ pk: `ORG#${orgId}`, sk: `MEMBER#${sub}` }),
  /** Leads from a login to the organizations it belongs to. */
  memberOrganization: (sub: string, orgId: string) => ({ pk: `MEMBER#${sub}`, sk: `ORG#${orgId}` }),
  audit: ({
    org_id,
    at,
    entity_id,
    version,
    operation,
  }: Pick<AuditRecord, 'org_id' | 'at' | 'entity_id' | 'version' | 'operation'>) => ({
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

export const auditItem = (record: AuditRecord) => ({ ...KEYS.audit(record), record });

/** The condition of a put that must not replace an item. */
export const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

/** Returns the write of an audit record. It replaces none (docs/decisions/0006). */
export const auditPut = (table: string, record: AuditRecord) => ({
  Put: { TableName: table, Item: auditItem(record), ...ABSENT },
});

/** The condition that an organization or an assistant exists and is not being deleted. */
export const notDeleted = (entity: 'organization' | 'assistant') => ({
  ConditionExpression: `attribute_exists(${entity}) AND attribute_not_exists(${entity}.deleting)`,
});
