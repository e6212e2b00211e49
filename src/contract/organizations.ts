import * as z from 'zod';
import { DAILY_OUTBOUND_QUOTA_MAX, NAME_MAX_CHARACTERS } from './limits.ts';
import { characters } from './text.ts';

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

export const organizationInput = z.strictObject({
  name: characters({ min: 1, max: NAME_MAX_CHARACTERS }),
  plan: z.enum(PLANS).default('free'),
});
export type OrganizationInput = z.infer<typeof organizationInput>;

/** Null is no quota. */
export const dailyOutboundQuota = z.int().min(1).max(DAILY_OUTBOUND_QUOTA_MAX).nullable();

/** What the operator says of an organization. Stands on its assistants and Actions as well, where every request finds it. */
export type OrganizationMarks = {
  /** Widgets and server secrets are refused as if the assistant were off, and nothing is sent, whatever `enabled` says. */
  readonly suspended?: boolean;
  /** How many requests may leave in a UTC day. @default null, no quota */
  readonly daily_outbound_quota?: number | null;
};

export type Organization = OrganizationMarks & {
  readonly org_id: string;
  readonly name: string;
  readonly plan: Plan;
  /** ISO 8601, UTC. */
  readonly created_at: string;
};
