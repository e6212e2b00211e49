import * as z from 'zod';
import type { RefusalCode } from './errors.ts';
import { FORM_SUBMISSIONS_PER_MINUTE, SESSION_CREATE_PER_MINUTE } from './limits.ts';
import { sessionCreateRequest, sessionCreateResponse } from './sessions.ts';
import { formSubmitRequest, formSubmitResponse, identifier, initRequest, initResponse } from './widget.ts';

/** Request headers that carry a credential of the public routes, as the spec writes them. */
export const CREDENTIAL_HEADERS = {
  siteId: 'X-Site-Id',
  sessionToken: 'X-Session-Token',
  serverKey: 'X-Server-Key',
} as const;

// Names of request headers, in lower case as API Gateway passes them to a function. CloudFront adds the first two: a secret, which proves
// that it sent the request, and the visitor's address.
export const ORIGIN_SECRET_HEADER = 'x-va-wave-origin';
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';
export const SITE_ID_HEADER = CREDENTIAL_HEADERS.siteId.toLowerCase();
export const SESSION_TOKEN_HEADER = CREDENTIAL_HEADERS.sessionToken.toLowerCase();
export const SERVER_KEY_HEADER = CREDENTIAL_HEADERS.serverKey.toLowerCase();

type Parameter = { readonly description?: string; readonly schema: z.ZodType };

type Operation = {
  readonly method: 'POST';
  /** Below `{base_url}`. */
  readonly path: `/api/${string}`;
  readonly caller: 'customer backend' | 'widget';
  readonly summary: string;
  readonly description: string;
  /** The headers that carry a credential. One of them is required. */
  readonly credentials: readonly (typeof CREDENTIAL_HEADERS)[keyof typeof CREDENTIAL_HEADERS][];
  /** Other headers that decide the answer. A browser sets them; a script cannot. */
  readonly browserHeaders: readonly string[];
  readonly pathParameters: Readonly<Record<string, Parameter>>;
  readonly query: Readonly<Record<string, Parameter>>;
  readonly body: z.ZodObject;
  /** Body of the response with status 200. */
  readonly answer: z.ZodObject;
  /** What a response with status 200 means. */
  readonly answerMeaning: string;
  readonly refusals: readonly RefusalCode[];
};

const { siteId, sessionToken, serverKey } = CREDENTIAL_HEADERS;

/** A browser sends it with a body. Its media type is not checked: every body is parsed as JSON. */
export const CONTENT_TYPE = 'Content-Type';

const BODY_REFUSALS = ['body_not_json', 'body_not_object', 'body_too_large', 'invalid_request'] as const;
const WIDGET_REFUSALS = [
  'origin_not_allowed',
  'no_allowed_domains',
  'origin_required',
  'session_token_required',
  'site_disabled',
  'session_token_invalid',
  'site_not_found',
  'credentials_required',
  'ip_not_allowed',
  'distribution_required',
  'rate_limit_exceeded',
] as const;

/** The operations of the public routes (spec "Endpoints"): everything that the stack, the functions, the widget and the documents say about them. */
export const PUBLIC_OPERATIONS = {
  createSession: {
    method: 'POST',
    path: '/api/widget/session/create',
    caller: 'customer backend',
    summary: 'Mints a session token',
    description: `At most ${SESSION_CREATE_PER_MINUTE} requests per minute and IP address.`,
    credentials: [serverKey],
    browserHeaders: [],
    pathParameters: {},
    query: {},
    body: sessionCreateRequest,
    answer: sessionCreateResponse,
    answerMeaning: 'The token',
    refusals: [
      'server_key_required',
      'server_key_malformed',
      'server_key_invalid',
      ...BODY_REFUSALS,
      'rate_limit_exceeded',
    ],
  },
  initWidget: {
    method: 'POST',
    path: '/api/widget/init',
    caller: 'widget',
    summary: 'Authenticates the widget',
    description: 'Resumes its conversation, or starts one on request, and returns the forms.',
    credentials: [siteId, sessionToken],
    browserHeaders: ['Origin', 'Referer'],
    pathParameters: {},
    query: {
      site: {
        description: 'The site of the credential, for the preflight request, which carries no credential',
        schema: z.string(),
      },
    },
    body: initRequest,
    answer: initResponse,
    answerMeaning: 'The widget may render',
    refusals: [...WIDGET_REFUSALS, ...BODY_REFUSALS],
  },
  submitForm: {
    method: 'POST',
    path: '/api/widgets/sites/{site_id}/forms/{slug}/submit',
    caller: 'widget',
    summary: 'Submits a form panel',
    description: `At most ${FORM_SUBMISSIONS_PER_MINUTE} submissions per minute from one network, and an hourly limit for all visitors of the assistant.`,
    credentials: [siteId, sessionToken],
    browserHeaders: ['Origin', 'Referer'],
    pathParameters: { site_id: { schema: identifier }, slug: { schema: identifier } },
    query: {},
    body: formSubmitRequest,
    answer: formSubmitResponse,
    answerMeaning: 'The endpoint or an escalation channel accepted it',
    refusals: [
      ...WIDGET_REFUSALS,
      'site_mismatch',
      'form_not_found',
      ...BODY_REFUSALS,
      'conversation_unknown',
      'value_required',
      'submission_in_progress',
      'client_key_reused',
      'submission_failed',
      'form_limit_exceeded',
    ],
  },
} as const satisfies Record<string, Operation>;

export type PublicOperation = keyof typeof PUBLIC_OPERATIONS;
export type PublicBody<O extends PublicOperation> = z.input<(typeof PUBLIC_OPERATIONS)[O]['body']>;
export type PublicAnswer<O extends PublicOperation> = z.infer<(typeof PUBLIC_OPERATIONS)[O]['answer']>;

type PathLike<Pattern extends string> = Pattern extends `${infer Start}{${string}}${infer Rest}`
  ? `${Start}${string}${PathLike<Rest>}`
  : Pattern;
/** A path of an operation, with any values for its parameters. */
export type PublicPath<O extends PublicOperation> = PathLike<(typeof PUBLIC_OPERATIONS)[O]['path']>;

const operations: readonly Operation[] = Object.values(PUBLIC_OPERATIONS);

export const PUBLIC_HEADERS: readonly string[] = [
  ...new Set(operations.flatMap(({ browserHeaders }) => browserHeaders)),
  ...Object.values(CREDENTIAL_HEADERS),
  CONTENT_TYPE,
];
export const PUBLIC_QUERY: readonly string[] = operations.flatMap(({ query }) => Object.keys(query));

/** Request headers that the preflight response allows a widget to send from another origin. */
export const CORS_REQUEST_HEADERS: readonly string[] = [
  CONTENT_TYPE,
  ...new Set(operations.filter(({ caller }) => caller === 'widget').flatMap(({ credentials }) => credentials)),
].map((name) => name.toLowerCase());
