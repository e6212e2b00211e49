import * as z from 'zod';
import { NAME_MAX_CHARACTERS } from './limits.ts';
import { characters } from './text.ts';

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

export const organizationInput = z.strictObject({
  name: characters({ min: 1, max: NAME_MAX_CHARACTERS }),
  plan: z.enum(PLANS).default('free'),
});
export type OrganizationInput = z.infer<typeof organizationInput>;

export type Organization = {
  readonly org_id: string;
  readonly name: string;
  readonly plan: Plan;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** By the operator: widgets and server secrets are refused, and nothing is sent. Stands on assistants and Actions as well. */
  readonly suspended?: boolean;
};
