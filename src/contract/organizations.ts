import * as z from 'zod';
import { characters } from './fields.ts';
import { ASSISTANTS_PER_ORGANIZATION_MAX, DAILY_OUTBOUND_QUOTA_MAX, NAME_MAX_CHARACTERS } from './limits.ts';

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

const settings = z.strictObject({
  name: characters({ min: 1, max: NAME_MAX_CHARACTERS }),
  plan: z.enum(PLANS),
  /** The number of assistants above which no further one can be created. @default ASSISTANTS_PER_ORGANIZATION */
  assistant_limit: z.int().min(1).max(ASSISTANTS_PER_ORGANIZATION_MAX).optional(),
});
export const organizationInput = settings.extend({ plan: settings.shape.plan.default('free') });
export const organizationChange = settings.partial();

/** Outbound requests per UTC day; null means no quota. */
export const dailyOutboundQuota = z.int().min(1).max(DAILY_OUTBOUND_QUOTA_MAX).nullable();

/**
 * The restrictions that the operator sets on an organization. They are copied to its assistants and Actions, because every request
 * reads those anyway.
 */
export type OrganizationRestrictions = {
  /**
   * True refuses widgets and server secrets as if the assistant were off, and stops outbound requests, whatever the value of
   * `enabled`.
   */
  readonly suspended?: boolean;
  /** Outbound requests per UTC day. @default null, no quota */
  readonly daily_outbound_quota?: number | null;
};

export type Organization = OrganizationRestrictions & {
  readonly org_id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly assistant_limit?: number | undefined;
  /** ISO 8601, UTC. */
  readonly created_at: string;
};

/** Members read; admins write (spec: only organization admins can create, edit or delete Actions). */
export const ROLES = ['member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const memberInput = z.strictObject({
  email: z.email('must be an email address').max(254),
  role: z.enum(ROLES).default('member'),
});

export type Membership = {
  readonly org_id: string;
  /** The `sub` claim of the member's access tokens. */
  readonly sub: string;
  readonly email: string;
  readonly role: Role;
  /** ISO 8601, UTC. */
  readonly created_at: string;
};

/** Operations that the audit trail of an organization records. */
export const AUDIT_OPERATIONS = [
  'create_assistant',
  'update_assistant',
  'generate_server_secret',
  'create_action',
  'update_action',
  'delete_action',
  'erase_person',
] as const;
export type AuditOperation = (typeof AUDIT_OPERATIONS)[number];

/** A change to the configuration of an organization: author, operation and time. It has names of fields, never their values. */
export type AuditRecord = {
  readonly org_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: { readonly sub: string; readonly email: string };
  /** An AuditOperation, or an operation that only newer code knows. */
  readonly operation: string;
  readonly site_id: string;
  /** Id of the assistant or the Action. */
  readonly entity_id: string;
  /** The version after the change; for a deletion, the last version. */
  readonly version: number;
  readonly fields: readonly string[];
};
