import * as z from 'zod';
import { characters, nameText, type RulesOf, settingsChange, wholeNumber } from './fields.ts';
import {
  ACTIONS_PER_ORGANIZATION,
  ALLOWED_DOMAINS_MAX,
  HOURLY_RATE_LIMIT_MAX,
  IP_ALLOWLIST_MAX,
  NAME_MAX_CHARACTERS,
} from './limits.ts';
import { DELETION, RESTRICTIONS } from './organizations.ts';
import { SAVED, type Stored } from './stored.ts';

export const AUTHENTICATION_MODES = ['Allowed Websites', 'Session Signed'] as const;
export type AuthenticationMode = (typeof AUTHENTICATION_MODES)[number];

/** Prefix of the name of every escalation topic. The form-submit function may publish to no other topic. */
export const ESCALATION_TOPIC_PREFIX = 'va-wave-escalation-';

/** ARNs of escalation topics. Each submission is published to each of them while the visitor waits, so they are at most five. */
export const escalationTopics = z
  .array(
    z.string().regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:va-wave-escalation-[A-Za-z0-9_-]+$/, {
      error: `must be the ARN of an SNS topic whose name starts with ${ESCALATION_TOPIC_PREFIX}`,
    }),
  )
  .max(5);

/** Form submissions of an assistant in a clock hour; null means FORM_SUBMISSIONS_PER_HOUR. */
export const formSubmissionsPerHour = z.int().min(1).max(HOURLY_RATE_LIMIT_MAX).nullable();

/** Settings as they are stored and shown, without limits: those that were saved under other limits are still read. */
export const ASSISTANT_SETTINGS = {
  name: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  hourly_rate_limit: z.number(),
  authentication_mode: z.enum(AUTHENTICATION_MODES),
  allowed_domains: z.array(z.string()),
  ip_allowlist: z.array(z.string()),
  form_order: z
    .array(z.string())
    .optional()
    .describe(
      'Ids of Form Actions in the order in which the widget shows them; the others follow in the order of their creation',
    ),
};
export type AssistantSettings = z.infer<z.ZodObject<typeof ASSISTANT_SETTINGS>>;

/** The rules for the input of settings (spec "Assistant (widget site) settings"); hosts and addresses are normalized when saved. */
const settings = z.strictObject({
  name: nameText({ min: 1, max: NAME_MAX_CHARACTERS }),
  /** The domain where the widget is embedded; the browser's cross-origin check is made against it. A host has at most 253 characters. */
  domain: characters({ max: 300 }),
  enabled: z.boolean(),
  /** Requests per clock hour. Required, because the spec names no default. */
  hourly_rate_limit: wholeNumber(1, HOURLY_RATE_LIMIT_MAX),
  authentication_mode: z.enum(AUTHENTICATION_MODES),
  /** An entry may be pasted as a URL, of which the save keeps the host. */
  allowed_domains: z.array(characters({ max: 2000 })).max(ALLOWED_DOMAINS_MAX),
  /** The text of an IPv6 address has at most 45 characters. */
  ip_allowlist: z
    .array(characters({ max: 100 }).meta({ anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }))
    .max(IP_ALLOWLIST_MAX),
  form_order: z
    .array(characters({ max: 100 }))
    .max(ACTIONS_PER_ORGANIZATION)
    .optional(),
} satisfies RulesOf<AssistantSettings>);
const { shape } = settings;

export const assistantInput = settings
  .extend({
    domain: shape.domain.default(''),
    enabled: shape.enabled.default(true),
    authentication_mode: shape.authentication_mode.default('Allowed Websites'),
    /** @default the Domain alone */
    allowed_domains: shape.allowed_domains.optional(),
    ip_allowlist: shape.ip_allowlist.default([]),
  })
  .meta({ id: 'NewAssistant' });

/** Validates a change to an assistant's settings. Only the settings in the change are validated, by the same rules as above; null removes one. */
export const assistantChange = settingsChange(shape).meta({ id: 'AssistantChange' });

export const ASSISTANT = {
  ...ASSISTANT_SETTINGS,
  ...RESTRICTIONS,
  ...DELETION,
  ...SAVED,
  /** Public, not a secret. */
  site_id: z.string(),
  org_id: z.string(),
  /** SHA-256 (hex) and last six characters of the server secret. Absent until one is generated. */
  server_secret: z.looseObject({ sha256: z.string(), last_six: z.string() }).optional(),
  /** ARNs of SNS topics that receive form submissions. Only the operator sets them: an admin could name another organization's. */
  escalation_topics: z.array(z.string()).optional(),
  /** Form submissions per clock hour. Only the operator sets it. @default FORM_SUBMISSIONS_PER_HOUR */
  form_submissions_per_hour: z.number().optional(),
};
export type Assistant = Stored<typeof ASSISTANT>;
