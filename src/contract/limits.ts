/** Every number of the spec's "Limits" table, and the few that the spec leaves open (docs/open-points.md). */

/** Session create calls in any 60 seconds from one IP address; refused calls count as well. */
export const SESSION_CREATE_PER_MINUTE = 20;
/** Form submissions in any 60 seconds from one visitor IP address to one assistant. */
export const FORM_SUBMISSIONS_PER_MINUTE = 10;

export const TTL_MINUTES_DEFAULT = 15;
export const TTL_MINUTES_MIN = 1;
export const TTL_MINUTES_MAX = 60;

/** Longer user ids are rejected. All lengths "in characters" count Unicode code points. */
export const USER_ID_MAX_CHARACTERS = 255;
/** Longer names are truncated. */
export const USER_NAME_MAX_CHARACTERS = 100;
/** Longer addresses are truncated. */
export const USER_EMAIL_MAX_CHARACTERS = 255;
/** Of the compact JSON serialization, in UTF-8. */
export const CONTEXT_MAX_BYTES = 2048;
export const USAGE_WEBHOOK_SECRET_MIN_CHARACTERS = 32;
/** Open point: keeps the token, which carries the secret, within what a header can hold. */
export const USAGE_WEBHOOK_SECRET_MAX_CHARACTERS = 256;
/** Open point: API Gateway takes 10 KB of headers in all. */
export const SESSION_TOKEN_MAX_BYTES = 8192;

/** Of Action endpoints and usage webhooks, as they were typed. */
export const URL_MAX_CHARACTERS = 2000;
/** Open point: of an Action's URL as it is sent, where a character can become twelve bytes (`%F0%9F%98%80`). */
export const URL_ENCODED_MAX_BYTES = 24_000;
/** Open point: of a usage webhook's URL as it is sent; the token carries the URL, and a header carries the token. */
export const USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES = 2000;
export const ACTIONS_PER_ORGANIZATION = 50;
export const AI_DESCRIPTION_MIN_CHARACTERS = 10;
/** Of one AI-decided Action. Calls refused by validation do not count. */
export const AI_CALLS_PER_CONVERSATION = 5;
/** What the assistant is given of a response that is no JSON. */
export const NON_JSON_RESPONSE_CHARACTERS = 500;

/** Attempts of one Event delivery. */
export const EVENT_ATTEMPTS = 3;
/** Pause in seconds before attempt 2 and before attempt 3. */
export const EVENT_RETRY_PAUSES_SECONDS: readonly number[] = [2, 4];
/** For name resolution, connection, TLS, headers and body together. */
export const OUTBOUND_TIMEOUT_MS = 5000;
/**
 * Form, AI-decided and test requests of one organization that may wait for its endpoints at once. Each keeps an execution of a
 * function for up to five seconds, and an account has 1 000 of them unless it asks for more.
 */
export const REQUESTS_IN_FLIGHT_PER_ORGANIZATION = 50;
/** What is read of a response; the rest is discarded. */
export const RESPONSE_READ_MAX_BYTES = 1024 * 1024;
/** What the delivery log keeps of a response. */
export const RESPONSE_EXCERPT_CHARACTERS = 2000;

export const FORM_KEY_MAX_CHARACTERS = 100;
export const FORM_STRING_MAX_CHARACTERS = 5000;
export const FORM_LIST_MAX_ITEMS = 50;
export const FORM_LIST_ITEM_MAX_CHARACTERS = 500;

/** Open point: test requests of one organization in any 60 seconds. */
export const ACTION_TESTS_PER_MINUTE = 10;

/** Open points: the spec names no upper bound for these, and storage needs one. */
export const NAME_MAX_CHARACTERS = 100;
export const AI_DESCRIPTION_MAX_CHARACTERS = 1024;
export const FORM_FIELDS_MAX = 50;
/** Of a parameter, and of an entry of a response field map: model APIs take no longer names. */
export const PARAMETER_NAME_MAX_CHARACTERS = 64;
export const PARAMETER_DESCRIPTION_MAX_CHARACTERS = 1000;
/** Of the address that a widget's page was reached from; longer ones are truncated. */
export const REFERRER_MAX_CHARACTERS = 2000;
/** Properties of an AI-decided Action's parameters, and entries of its response field map. */
export const PARAMETERS_MAX_PROPERTIES = 50;
/** Of the parameters' compact JSON, in UTF-8. Whoever lists an organization's Actions reads it fifty times. */
export const PARAMETERS_MAX_BYTES = 16 * 1024;
export const PATTERN_MAX_CHARACTERS = 200;
/** Instructions of one compiled pattern, and of all patterns of an Action. `[a-z]{1,255}` has about 500; a thousand take up to 30 ms. */
export const PATTERN_MAX_INSTRUCTIONS = 600;
export const PATTERNS_MAX_INSTRUCTIONS = 5000;
export const FIELD_PATH_MAX_CHARACTERS = 200;
export const ALLOWED_DOMAINS_MAX = 100;
export const IP_ALLOWLIST_MAX = 100;
export const HOURLY_RATE_LIMIT_MAX = 10_000_000;
/** Outbound requests of an organization in a UTC day, where the operator sets a quota. */
export const DAILY_OUTBOUND_QUOTA_MAX = 1_000_000_000;

/** Bodies above this are refused with 413 before they are parsed. */
export const REQUEST_BODY_MAX_BYTES = 256 * 1024;

/** How long an unused conversation id stays valid, in seconds (open point). */
export const CONVERSATION_TTL_SECONDS = 30 * 24 * 3600;
