import * as z from 'zod';

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
