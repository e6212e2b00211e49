import * as z from 'zod';

/**
 * All refusals of the service by their stable code, with HTTP status and message. The messages of the public routes are those of
 * the spec's "Errors", word for word. Callers must compare codes, not messages, because a message may also name an id or a field.
 */
export const REFUSALS = {
  origin_not_allowed: { status: 401, message: 'Origin not in allowed domains' },
  no_allowed_domains: { status: 401, message: 'Site has no allowed domains configured' },
  origin_required: { status: 401, message: 'Origin or Referer header required for safelist auth' },
  session_token_required: { status: 401, message: 'This site requires session token authentication' },
  site_disabled: { status: 401, message: 'Widget site is disabled' },
  ip_not_allowed: { status: 403, message: 'Access denied: IP not in allowlist' },
  rate_limit_exceeded: { status: 429, message: 'Rate limit exceeded' },
  /** An assistant's forms received the most submissions of an hour. The code differs from that of a visitor's own limit, for the metric. */
  form_limit_exceeded: { status: 429, message: 'Rate limit exceeded' },
  server_key_required: { status: 401, message: 'Server key required' },
  server_key_malformed: { status: 401, message: 'Invalid server key format' },
  server_key_invalid: { status: 401, message: 'Invalid server key' },

  // The spec leaves the following ones open (docs/open-points.md).
  session_token_invalid: { status: 401, message: 'Invalid or expired session token' },
  site_not_found: { status: 401, message: 'Widget site not found' },
  credentials_required: { status: 401, message: 'X-Site-Id or X-Session-Token header required' },
  distribution_required: { status: 403, message: 'Send the request to the CloudFront distribution' },
  site_mismatch: { status: 403, message: 'The credential belongs to another site' },
  body_not_json: { status: 400, message: 'Request body must be valid JSON' },
  body_not_object: { status: 400, message: 'Request body must be a JSON object' },
  body_too_large: { status: 413, message: 'Request body is too large' },
  /** The actual message names the field and the problem. */
  invalid_request: { status: 400, message: 'The request is not valid' },
  form_not_found: { status: 404, message: 'Form not found' },
  conversation_unknown: { status: 400, message: 'conversation_id: unknown conversation' },
  /** The actual message names the form field. */
  value_required: { status: 400, message: 'values: is required' },
  submission_in_progress: { status: 409, message: 'client_key: this submission is still being delivered' },
  client_key_reused: { status: 409, message: 'client_key: was used for another form of this conversation' },
  submission_failed: { status: 502, message: 'The submission could not be delivered' },
  login_required: { status: 401, message: 'Log in first' },
  admin_required: { status: 403, message: 'Only admins of the organization may do this' },
  not_found: { status: 404, message: 'Not found' },
  organization_not_found: { status: 404, message: 'org_id: no such organization' },
  assistant_not_found: { status: 404, message: 'site_id: no such assistant' },
  action_not_found: { status: 404, message: 'action_id: no such Action' },
  member_not_found: { status: 404, message: 'email: no such member' },
  /** The actual message names the logins. */
  login_uncertain: { status: 409, message: 'email: does not name one login for certain' },
  login_not_found: { status: 404, message: 'sub: no such login' },
  event_not_found: { status: 404, message: 'event_id: the delivery log has no attempt of this event' },
  stack_not_found: { status: 404, message: 'stack: no such stack' },
  stale_version: { status: 409, message: 'version: it was changed in the meantime; read it again' },
  too_many_assistants: { status: 409, message: 'assistants: the organization has the maximum number of assistants' },
  too_many_actions: { status: 409, message: 'actions: the organization has the maximum number of Actions' },
  name_taken: { status: 409, message: 'name: another Action of this assistant already has this name' },
  paid_feature: {
    status: 400,
    message: 'authentication_mode: Session Signed is a paid feature; the organization is on the free plan',
  },
  server_secret_exists: {
    status: 409,
    message: 'server_secret: already exists; regenerate replaces it, and the old secret stops working immediately',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'idempotency_key: was used for a different request, or what it created was changed or deleted',
  },
  organization_suspended: { status: 409, message: 'org_id: the organization is suspended' },
  not_an_event_action: { status: 409, message: 'action_id: is not an Event Action' },
  action_disabled: { status: 409, message: 'action_id: is disabled' },
  envelope_not_kept: {
    status: 409,
    message:
      'payload: the log does not have the whole envelope: it was too large, was sent by GET, or its attempt is in progress',
  },
  envelope_too_large: { status: 413, message: 'payload: the envelope is too large for a queue message' },
  keys_replaced: { status: 409, message: 'keys: another run replaced them in the meantime; run the command again' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type RefusalCode = keyof typeof REFUSALS;
export type RefusalStatus = (typeof REFUSALS)[RefusalCode]['status'];

/** The answer to a fault of the service itself. Only the function's log has the cause, with the request id. */
export const INTERNAL_ERROR = { code: 'internal_error', status: 500, message: 'Internal error' } as const;

export type ErrorCode = RefusalCode | typeof INTERNAL_ERROR.code;

export const REFUSAL_CODES: readonly RefusalCode[] = Object.keys(REFUSALS).filter(
  (code): code is RefusalCode => code in REFUSALS,
);

/** Body of every error response of the service over HTTP. Its shape is open in the spec (docs/open-points.md). */
export const errorResponse = z
  .object({
    success: z.literal(false),
    code: z.literal([...REFUSAL_CODES, INTERNAL_ERROR.code]).describe('Stable; later versions may add codes'),
    error: z.string().describe('The message'),
    field: z.string().optional().describe('The first field that is wrong, as a path with dots'),
    fields: z
      .array(z.object({ field: z.string(), problem: z.string() }))
      .optional()
      .describe('Every field that is wrong'),
  })
  .meta({ id: 'Error' });
export type ErrorResponse = z.infer<typeof errorResponse>;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/**
 * Says what is wrong with a value in the words of this service, which follow the name of the field. Schemas with a message of their own
 * keep it. Pass it as `error` when an input is parsed; people read the problem, and the words of the validation library change.
 */
export const inOurWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : mustBeOneOf(issue.values);
    case 'invalid_union':
      return typeof issue.discriminator === 'string' ? discriminated(issue) : 'has a wrong type';
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum);
    case 'too_small':
      return bound(issue.origin, 'at least', issue.minimum);
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : 'has a wrong format';
    case 'unrecognized_keys':
      return 'is not known';
    default:
      return 'is not valid';
  }
};

type Discriminated = { readonly discriminator?: unknown; readonly input?: unknown; readonly options?: unknown };

function discriminated({ discriminator, input, options }: Discriminated): string {
  if (Object(input)[String(discriminator)] === undefined) return 'is required';
  return mustBeOneOf(Array.isArray(options) ? options : []);
}

function mustBeOneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return `must be ${quoted.length > 1 ? 'one of ' : ''}${quoted.join(', ')}`;
}

function bound(origin: string, limit: string, number: number | bigint): string {
  if (origin === 'string') return `must be ${limit} ${number} characters`;
  if (origin === 'array') return `must have ${limit} ${number} entries`;
  return `must be ${limit} ${number}`;
}
