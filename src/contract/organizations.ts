import * as z from 'zod';
import { characters, nameText } from './fields.ts';
import { ASSISTANTS_PER_ORGANIZATION_MAX, DAILY_OUTBOUND_QUOTA_MAX, NAME_MAX_CHARACTERS } from './limits.ts';
import { type Stored, time, version } from './stored.ts';

export const PLANS = ['free', 'paid'] as const;

const settings = z.strictObject({
  name: nameText({ min: 1, max: NAME_MAX_CHARACTERS }),
  plan: z.enum(PLANS),
  /** The number of assistants above which no further one can be created. @default ASSISTANTS_PER_ORGANIZATION */
  assistant_limit: z.int().min(1).max(ASSISTANTS_PER_ORGANIZATION_MAX).optional(),
});
export const organizationInput = settings.extend({ plan: settings.shape.plan.default('free') });
export const organizationChange = settings.partial();

/** Requests of Actions in a UTC day; null means no quota. */
export const dailyOutboundQuota = z.int().min(1).max(DAILY_OUTBOUND_QUOTA_MAX).nullable();

/** Restrictions by the operator, copied to assistants and Actions, because every request reads those anyway. */
export const RESTRICTIONS = {
  /** True switches off widgets, server secrets and Actions, whatever `enabled` says. Usage reports are still sent. */
  suspended: z.boolean().optional(),
  /** Requests of Actions in a UTC day; usage reports do not count. @default null, no quota */
  daily_outbound_quota: z.number().nullish(),
};
export type OrganizationRestrictions = Stored<typeof RESTRICTIONS>;

export const DELETION = {
  /** True from the beginning of the deletion on. Nothing is created in what is being deleted, and nobody may change it. */
  deleting: z.boolean().optional(),
};

export const ORGANIZATION = {
  ...RESTRICTIONS,
  org_id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  assistant_limit: z.number().optional(),
  created_at: time,
  ...DELETION,
};
export type Organization = Stored<typeof ORGANIZATION>;

/** Members read; admins write (spec: only organization admins can create, edit or delete Actions). */
export const ROLES = ['member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The two ways to name a login, of which an input has exactly one. */
const byName = z.strictObject({
  /** Cognito takes no longer user name. */
  email: z.email('must be an email address').max(128).optional(),
  /** The `sub` of the login, where the address does not name one. */
  sub: characters({ min: 1, max: 128 }).optional(),
});
const isOneName = ({ email, sub }: z.infer<typeof byName>) => (email === undefined) !== (sub === undefined);
const ONE_NAME = { path: ['email'], error: 'name the login by either its email address or its sub' };

/** The name of a member or of a login. */
export const namedMember = byName.refine(isOneName, ONE_NAME);

export const memberInput = byName
  .extend({
    role: z.enum(ROLES).optional(),
    /** Identity providers of the user pool that verify the addresses of their people. */
    providers: z.array(z.string()).default([]),
  })
  .refine(isOneName, ONE_NAME);

export const MEMBERSHIP = {
  org_id: z.string(),
  /** The `sub` claim of the member's access tokens. */
  sub: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  created_at: time,
};
export type Membership = Stored<typeof MEMBERSHIP>;

export const AUDIT_OPERATIONS = [
  'update_organization',
  'create_assistant',
  'update_assistant',
  'generate_server_secret',
  'delete_assistant',
  'create_action',
  'update_action',
  'delete_action',
  'erase_person',
  'export_data',
  'read_deliveries',
  'read_secret',
  'add_member',
  'change_role',
  'remove_member',
] as const;
export type AuditOperation = (typeof AUDIT_OPERATIONS)[number];

/** What precedes the id of an organization in the partition key of its audit trail. */
export const AUDIT_PARTITION = 'AUDIT#';

/** The author of the operator's changes. */
export const OPERATOR = { sub: 'operator', email: 'operator' } as const;

const auditValue = z
  .string()
  .nullable()
  .describe('Text, or JSON, of which the trail keeps the beginning; null when there is none');

/** A change to the configuration of an organization, or to its members, or what the operator reads of it: author, operation, time, and old and new values that are no secret. */
export const AUDIT_RECORD = {
  org_id: z.string(),
  at: time,
  /** `arn`: the operator's identity in AWS, which the dashboard does not show. */
  by: z.object({ sub: z.string(), email: z.string(), arn: z.string().optional() }),
  // Any name is accepted, because newer code may have more operations, and their records are shown.
  operation: z.string().describe(`${AUDIT_OPERATIONS.join(', ')}; later versions may add more`),
  /** Empty for the organization itself, its members, and its data as a whole, and in the record of who read the deliveries of an Action that cannot be read. */
  site_id: z.string(),
  /** Id of the organization, the assistant, the Action or the login of the member; of the organization for its data as a whole. */
  entity_id: z.string(),
  name: z
    .string()
    .optional()
    .describe(
      'Name of the organization, assistant or Action after the change; address of the member; none for erase_person, export_data, and where the record of a reading lacks it',
    ),
  /** The version after the change; for a deletion, the last version; 1 of an organization and of a membership, which have none, and of what the operator reads. */
  version,
  fields: z.array(z.string()).describe('Names of the changed settings'),
  changes: z
    .array(z.object({ field: z.string(), before: auditValue, after: auditValue }))
    .optional()
    .describe('Their values, without secrets. A URL has `?…` in place of its query'),
};
export type AuditRecord = Stored<typeof AUDIT_RECORD>;
