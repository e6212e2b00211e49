import * as z from 'zod';

/** What is the same for every refusal of a code. One about a field also has the field and what is wrong with it. */
export type KnownRefusal = {
  readonly status: number;
  readonly message: string;
  readonly field?: string;
  readonly problem?: string;
};

const about = <Status extends number>(field: string, status: Status, problem: string) =>
  ({ status, field, problem, message: `${field}: ${problem}` }) as const;

/**
 * All refusals of the service by their stable code, with HTTP status and message. Those that the spec's "Errors" have are word for
 * word. Callers must compare codes, not messages, because a message may also name an id or a field.
 */
export const REFUSALS = {
  origin_not_allowed: { status: 401, message: 'Origin not in allowed domains' },
  no_allowed_domains: { status: 401, message: 'Site has no allowed domains configured' },
  origin_required: { status: 401, message: 'Origin or Referer header required for safelist auth' },
  session_token_required: { status: 401, message: 'This site requires session token authentication' },
  site_disabled: { status: 401, message: 'Widget site is disabled' },
  ip_not_allowed: { status: 403, message: 'Access denied: IP not in allowlist' },
  rate_limit_exceeded: { status: 429, message: 'Rate limit exceeded' },
  /** The forms of an assistant have had all submissions of this hour. The code is not that of a visitor's own limit, so that a metric tells them apart. */
  form_limit_exceeded: { status: 429, message: 'Rate limit exceeded' },
  server_key_required: { status: 401, message: 'Server key required' },
  server_key_malformed: { status: 401, message: 'Invalid server key format' },
  server_key_invalid: { status: 401, message: 'Invalid server key' },

  // The spec leaves the following ones open (docs/open-points.md).
  session_token_invalid: { status: 401, message: 'Invalid or expired session token' },
  site_not_found: { status: 401, message: 'Widget site not found' },
  credentials_required: { status: 401, message: 'X-Site-Id or X-Session-Token header required' },
  /** The request came to the API's own address, past the web ACL of the distribution. */
  distribution_required: { status: 403, message: 'Send the request to the CloudFront distribution' },
  site_mismatch: { status: 403, message: 'The credential belongs to another site' },
  body_not_json: { status: 400, message: 'Request body must be valid JSON' },
  body_not_object: { status: 400, message: 'Request body must be a JSON object' },
  body_too_large: { status: 413, message: 'Request body is too large' },
  /** The actual message names the field and the problem. */
  invalid_request: { status: 400, message: 'The request is not valid' },
  form_not_found: { status: 404, message: 'Form not found' },
  conversation_unknown: about('conversation_id', 400, 'unknown conversation'),
  /** The actual message names the form field. */
  value_required: about('values', 400, 'is required'),
  submission_in_progress: about('client_key', 409, 'this submission is still being delivered'),
  client_key_reused: about('client_key', 409, 'was used for another form of this conversation'),
  submission_failed: { status: 502, message: 'The submission could not be delivered' },
  login_required: { status: 401, message: 'Log in first' },
  admin_required: { status: 403, message: 'Only admins of the organization may do this' },
  not_found: { status: 404, message: 'Not found' },
  organization_not_found: about('org_id', 404, 'no such organization'),
  assistant_not_found: about('site_id', 404, 'no such assistant'),
  action_not_found: about('action_id', 404, 'no such Action'),
  member_not_found: about('email', 404, 'no such member'),
  /** The actual message names the logins. */
  login_uncertain: about('email', 409, 'does not name one login for certain'),
  login_not_found: about('sub', 404, 'no such login'),
  event_not_found: about('event_id', 404, 'the delivery log has no attempt of this event'),
  stack_not_found: about('stack', 404, 'no such stack'),
  stale_version: about('version', 409, 'it was changed in the meantime; read it again'),
  too_many_assistants: about('assistants', 409, 'the organization has the maximum number of assistants'),
  too_many_actions: about('actions', 409, 'the organization has the maximum number of Actions'),
  name_taken: about('name', 409, 'another Action of this assistant already has this name'),
  paid_feature: about(
    'authentication_mode',
    400,
    'Session Signed is a paid feature; the organization is on the free plan',
  ),
  server_secret_exists: about(
    'server_secret',
    409,
    'already exists; regenerate replaces it, and the old secret stops working immediately',
  ),
  idempotency_key_reused: about(
    'idempotency_key',
    409,
    'was used for a different request, or what it created was changed or deleted',
  ),
  organization_suspended: about('org_id', 409, 'the organization is suspended'),
  not_an_event_action: about('action_id', 409, 'is not an Event Action'),
  action_disabled: about('action_id', 409, 'is disabled'),
  envelope_not_kept: about(
    'payload',
    409,
    'the log does not have the whole envelope: it was too large, was sent by GET, or its attempt is in progress',
  ),
  envelope_too_large: about('payload', 413, 'the envelope is too large for a queue message'),
  keys_replaced: about('keys', 409, 'another run replaced them in the meantime; run the command again'),
} as const satisfies Record<string, KnownRefusal>;

export type RefusalCode = keyof typeof REFUSALS;
export type RefusalStatus = (typeof REFUSALS)[RefusalCode]['status'];

/** The answer to a fault of the service itself. Only the function's log has the cause, with the request id. */
export const INTERNAL_ERROR = { code: 'internal_error', status: 500, message: 'Internal error' } as const;

export type ErrorCode = RefusalCode | typeof INTERNAL_ERROR.code;

export const REFUSAL_CODES: readonly RefusalCode[] = Object.keys(REFUSALS).filter(
  (code): code is RefusalCode => code in REFUSALS,
);

/** What every refusal says, over HTTP and to a direct invocation. */
export const REFUSAL_BODY = {
  success: z.literal(false),
  error: z.string().describe('The message'),
  field: z.string().optional().describe('The first field that is wrong, as a path with dots'),
  fields: z
    .array(z.object({ field: z.string(), problem: z.string() }))
    .optional()
    .describe('Every field that is wrong'),
};

/** Body of every error response of the service over HTTP. Its shape is open in the spec (docs/open-points.md). */
export const errorResponse = z
  .object({
    ...REFUSAL_BODY,
    code: z.literal([...REFUSAL_CODES, INTERNAL_ERROR.code]).describe('Stable; later versions may add codes'),
    submission_id: z.string().optional().describe('Of a form submission that nobody accepted'),
  })
  .meta({ id: 'Error' });
export type ErrorResponse = z.infer<typeof errorResponse>;

const TYPES_IN_WORDS: Readonly<Record<string, string>> = {
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
      return issue.input === undefined ? 'is required' : `must be ${TYPES_IN_WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : mustBeOneOf(issue.values);
    case 'invalid_union':
      return typeof issue.discriminator === 'string' ? discriminatorProblem(issue) : 'has a wrong type';
    case 'too_big':
      return boundProblem(issue.origin, 'at most', issue.maximum);
    case 'too_small':
      return boundProblem(issue.origin, 'at least', issue.minimum);
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : 'has a wrong format';
    case 'unrecognized_keys':
      return 'is not known';
    default:
      return 'is not valid';
  }
};

/** The part of an issue of a discriminated union: the field that decides between its shapes, and the values that it may have. */
type Discriminated = { readonly discriminator?: unknown; readonly input?: unknown; readonly options?: unknown };

function discriminatorProblem({ discriminator, input, options }: Discriminated): string {
  if (Object(input)[String(discriminator)] === undefined) return 'is required';
  return mustBeOneOf(Array.isArray(options) ? options : []);
}

function mustBeOneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return `must be ${quoted.length > 1 ? 'one of ' : ''}${quoted.join(', ')}`;
}

function boundProblem(origin: string, limit: string, number: number | bigint): string {
  if (origin === 'string') return `must be ${limit} ${number} characters`;
  if (origin === 'array') return `must have ${limit} ${number} entries`;
  return `must be ${limit} ${number}`;
}
