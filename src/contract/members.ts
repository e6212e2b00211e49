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
  /** Subject of the login: the `sub` claim of an access token. */
  readonly sub: string;
  readonly email: string;
  readonly role: Role;
  /** ISO 8601, UTC. */
  readonly created_at: string;
};

/** What happened to the configuration of an organization: who did what, and when. Names of fields, never their values. */
export const AUDIT_OPERATIONS = [
  'create_assistant',
  'update_assistant',
  'generate_server_secret',
  'create_action',
  'update_action',
  'delete_action',
] as const;
export type AuditOperation = (typeof AUDIT_OPERATIONS)[number];

export type AuditRecord = {
  readonly org_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly by: { readonly sub: string; readonly email: string };
  /** An AuditOperation, or one of newer code. */
  readonly operation: string;
  readonly site_id: string;
  /** Of the assistant or the Action. */
  readonly entity_id: string;
  /** The version that came of it; of a deletion, the last one. */
  readonly version: number;
  readonly fields: readonly string[];
};
