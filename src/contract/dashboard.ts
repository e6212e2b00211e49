import * as z from 'zod';
import { METHODS } from './action-kinds.ts';
import { ADDED_TO_ACTION, SHOWN_ACTION as shown } from './action-shape.ts';
import { ACTION_CHANGES, actionInput } from './actions.ts';
import { ASSISTANT_SETTINGS, assistantChange, assistantInput } from './assistants.ts';
import type { DashboardOperation } from './dashboard-operations.ts';
import type { RefusalCode } from './errors.ts';
import { EVENT_NAMES } from './events.ts';
import { characters } from './fields.ts';
import { ALLOWED_DOMAINS_MAX, IP_ALLOWLIST_MAX } from './limits.ts';
import { AUDIT_RECORD, PLANS, ROLES } from './organizations.ts';
import { ATTEMPT_RESULT, SAVED, time, version } from './stored.ts';
import { identifier } from './widget.ts';

/** Request and response bodies of the dashboard's API (the spec leaves them open). A response contains only the fields that are listed here. */

/** An assistant as the dashboard shows it, with only the last six characters of the server secret. */
export const assistantView = z
  .object({
    ...ASSISTANT_SETTINGS,
    ...SAVED,
    site_id: z.string(),
    org_id: z.string(),
    server_secret: z.object({ last_six: z.string() }).nullable(),
    escalation_channels: z.int().describe('Number of escalation channels that the operator connected'),
  })
  .meta({ id: 'Assistant' });
export type AssistantView = z.infer<typeof assistantView>;

/** An Action as the dashboard shows it. It never contains the signing secret, not even the sealed one. */
export const actionView = z
  .discriminatedUnion('trigger', [
    z
      .object({ trigger: z.literal('Event'), ...shown.Event, events: z.array(z.enum(EVENT_NAMES)), ...ADDED_TO_ACTION })
      .meta({ id: 'EventAction' }),
    z.object({ trigger: z.literal('AI-decided'), ...shown['AI-decided'], ...ADDED_TO_ACTION }).meta({ id: 'AiAction' }),
    z.object({ trigger: z.literal('Form'), ...shown.Form, ...ADDED_TO_ACTION }).meta({ id: 'FormAction' }),
  ])
  .meta({ id: 'Action' });
export type ActionView = z.infer<typeof actionView>;

/** The result that the Test button shows. Its headers do not contain the signature. */
export const testResult = z
  .object({
    request: z.object({
      method: z.enum(METHODS),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string().nullable(),
    }),
    at: time.describe('When the test was sent'),
    retried: z.boolean().describe('Whether a delivery of an event would be tried again after this outcome'),
    ...ATTEMPT_RESULT,
  })
  .meta({ id: 'TestResult' });
export type TestResult = z.infer<typeof testResult>;

/** Whether a widget on a page would start, and the settings that prevent it. */
const pageVerdict = z.object({
  host: z.string().nullable().describe('Null when the address is not the address of a page'),
  matched_by: z.string().nullable().describe('The entry of Allowed Domains that matches the page'),
  refused_by: z
    .array(z.enum(['domain', 'allowed_domains', 'enabled']))
    .describe(
      'Empty when the page is allowed. The browser blocks because of `domain`; the service refuses because of the others',
    ),
});
export type PageVerdict = z.infer<typeof pageVerdict>;

const actionChange = z.union(Object.values(ACTION_CHANGES));
const next = z.string().nullable().describe('The `after` of the next page; null on the last page');

const CANNOT_BE_READ = 'the service cannot read from its storage; it reports them to its operator';
const unreadable = z.int().describe(`How many of the list ${CANNOT_BE_READ}`);
const leftOut = <Id extends Record<string, z.ZodString>>(what: string, id: Id) =>
  z.array(z.object(id)).describe(`${what} that ${CANNOT_BE_READ}`);

const idempotency_key = identifier.describe('Chosen by the caller; a repeated key creates nothing again');

/**
 * The request body or query parameters of each operation, if it has any, and its response body. The API leaves the settings in a body to
 * the domain, which also checks hosts and addresses (functions/dashboard-api.ts).
 */
export const DASHBOARD_SCHEMAS = {
  me: {
    answer: z.object({
      sub: z.string(),
      organizations: z.array(
        z.object({
          org_id: z.string(),
          name: z.string(),
          plan: z.enum(PLANS),
          suspended: z
            .boolean()
            .describe('Whether the operator has suspended the organization: its widgets appear on no page'),
          role: z.enum(ROLES),
          email: z.string(),
          assistant_limit: z.int().describe('How many assistants the organization may have'),
        }),
      ),
      unreadable: leftOut('Organizations', { org_id: z.string() }),
    }),
  },
  checkHosts: {
    body: z.strictObject({
      entries: z.array(characters({ max: 2000 })).max(ALLOWED_DOMAINS_MAX),
      page: z
        .strictObject({
          address: characters({ max: 2000 }).describe('For example https://www.example.com/shop'),
          domain: characters({ max: 300 }),
          enabled: assistantInput.shape.enabled,
          authentication_mode: assistantInput.shape.authentication_mode,
        })
        .optional()
        .describe('A page that embeds the widget, and the other settings that decide whether it starts'),
      addresses: z
        .array(characters({ max: 100 }))
        .max(IP_ALLOWLIST_MAX)
        .default([])
        .describe('Entries of the IP allowlist'),
    }),
    answer: z.object({
      entries: z.array(z.object({ entry: z.string(), normalized: z.string().nullable() })),
      page: pageVerdict.nullable().describe('Null when the request names no page'),
      addresses: z.array(z.object({ address: z.string(), normalized: z.string().nullable() })),
    }),
  },
  listAssistants: {
    query: z.object({ after: identifier.optional() }),
    answer: z.object({
      assistants: z.array(assistantView),
      unreadable: leftOut('Assistants of the page', { site_id: z.string() }),
      next,
    }),
  },
  createAssistant: { body: z.strictObject({ idempotency_key, assistant: assistantInput }), answer: assistantView },
  getAssistant: { answer: assistantView },
  updateAssistant: { body: z.strictObject({ version, change: assistantChange }), answer: assistantView },
  generateServerSecret: {
    body: z.strictObject({
      version,
      regenerate: z.boolean().default(false).describe('Replaces an existing secret, which stops working immediately'),
      authentication_mode: z
        .literal('Session Signed')
        .optional()
        .describe('The selected mode, when it is not saved yet. The service does not save it'),
    }),
    answer: z.object({
      server_secret: z.string().describe('The full value, which is shown only once'),
      assistant: assistantView,
    }),
  },
  getInstallation: {
    answer: z.object({
      requests_this_hour: z.int(),
      requests_last_24_hours: z.int().describe('Requests in this clock hour and the 23 hours before it'),
    }),
  },
  listActions: {
    answer: z.object({
      actions: z.array(actionView),
      unreadable: leftOut('Actions', { action_id: z.string() }),
    }),
  },
  createAction: { body: z.strictObject({ idempotency_key, action: actionInput }), answer: actionView },
  getAction: { answer: actionView },
  updateAction: {
    body: z.strictObject({
      version,
      change: actionChange.describe('Settings of the trigger that the Action has; null removes an optional setting'),
    }),
    answer: actionView,
  },
  deleteAction: {
    query: z.object({ version: z.coerce.number().int().min(1) }),
    answer: z.object({ deleted: z.literal(true) }),
  },
  testAction: {
    body: z.strictObject({
      change: actionChange
        .optional()
        .describe(
          'Settings that are tested before they are saved; the request is signed with the secret of the Action',
        ),
    }),
    answer: testResult,
  },
  listMembers: {
    answer: z.object({
      members: z.array(z.object({ email: z.string(), role: z.enum(ROLES), created_at: time })),
      unreadable,
    }),
  },
  listAudit: {
    query: z.object({ after: characters({ min: 1, max: 200 }).optional() }),
    answer: z.object({
      records: z.array(z.object({ ...AUDIT_RECORD, by: AUDIT_RECORD.by.omit({ arn: true }) }).omit({ org_id: true })),
      unreadable,
      next,
    }),
  },
} as const satisfies Record<
  DashboardOperation,
  { readonly body?: z.ZodType; readonly query?: z.ZodObject; readonly answer: z.ZodType }
>;

export type DashboardAnswer<O extends DashboardOperation> = z.infer<(typeof DASHBOARD_SCHEMAS)[O]['answer']>;
/** Undefined for an operation without a body. */
export type DashboardBody<O extends DashboardOperation> = (typeof DASHBOARD_SCHEMAS)[O] extends {
  readonly body: infer Body extends z.ZodType;
}
  ? z.input<Body>
  : undefined;

/** Response (409) to a save of a version that is not the current one. `current` is the current one. */
export const staleAnswer = z
  .object({
    success: z.literal(false),
    code: z.literal('stale_version' satisfies RefusalCode),
    error: z.string(),
    current: z.union([assistantView, actionView]),
  })
  .meta({ id: 'StaleVersion' });
export type StaleAnswer = z.infer<typeof staleAnswer>;
