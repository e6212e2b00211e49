import * as z from 'zod';
import {
  ACTIONS_PER_ORGANIZATION,
  ALLOWED_DOMAINS_MAX,
  HOURLY_RATE_LIMIT_MAX,
  IP_ALLOWLIST_MAX,
  NAME_MAX_CHARACTERS,
} from './limits.ts';
import type { OrganizationRestrictions } from './organizations.ts';
import { characters } from './text.ts';

export const AUTHENTICATION_MODES = ['Allowed Websites', 'Session Signed'] as const;
export type AuthenticationMode = (typeof AUTHENTICATION_MODES)[number];

/** What an escalation topic's name starts with; form-submit may publish to no other. */
export const ESCALATION_TOPIC_PREFIX = 'va-wave-escalation-';

export const escalationTopics = z
  .array(
    z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:va-wave-escalation-[A-Za-z0-9_-]+$/, {
      error: `must be the ARN of an SNS topic whose name starts with ${ESCALATION_TOPIC_PREFIX}`,
    }),
  )
  .max(5);

/** Settings of an assistant (spec "Assistant (widget site) settings"); hosts and addresses are normalized when saved. */
const settings = z.strictObject({
  name: characters({ min: 1, max: NAME_MAX_CHARACTERS }),
  /** The domain where the widget is embedded; the browser's cross-origin check is made against it. */
  domain: z.string().max(300),
  enabled: z.boolean(),
  /** Requests per clock hour. There is no default in the spec, so it is required. */
  hourly_rate_limit: z.int().min(1).max(HOURLY_RATE_LIMIT_MAX),
  authentication_mode: z.enum(AUTHENTICATION_MODES),
  allowed_domains: z.array(z.string().max(2000)).max(ALLOWED_DOMAINS_MAX),
  ip_allowlist: z.array(z.string().max(100)).max(IP_ALLOWLIST_MAX),
  /** Ids of Form Actions in the order in which the widget shows them; those that are not in it follow as they were created. */
  form_order: z.array(z.string().max(100)).max(ACTIONS_PER_ORGANIZATION).optional(),
});
const { shape } = settings;

/** What an admin says of a new assistant. */
export const assistantInput = settings.extend({
  domain: shape.domain.default(''),
  enabled: shape.enabled.default(true),
  authentication_mode: shape.authentication_mode.default('Allowed Websites'),
  /** Without it, a new assistant's list starts with the Domain. */
  allowed_domains: shape.allowed_domains.optional(),
  ip_allowlist: shape.ip_allowlist.default([]),
});

/** What an admin changes of one: what is given, and nothing else, has to be as above. */
export const assistantChange = settings.partial();
export type AssistantSettings = z.infer<typeof settings>;

export type Assistant = AssistantSettings &
  OrganizationRestrictions & {
    /** Public, not a secret. */
    readonly site_id: string;
    readonly org_id: string;
    /** The server secret's SHA-256 (hex) and last six characters, once one was generated. */
    readonly server_secret?: { readonly sha256: string; readonly last_six: string };
    /** SNS topics that receive form submissions. Set by the operator only: an admin could name another organization's. */
    readonly escalation_topics?: readonly string[];
    readonly created_at: string;
    readonly updated_at: string;
    /** Grows by one with every save; a save names the version that it read. */
    readonly version: number;
  };
