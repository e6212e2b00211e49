/** All numbers of the spec's "Limits" table, and those that the spec leaves open (docs/open-points.md). */

/** Session create calls in any 60 seconds from one IP address; calls that are refused for another reason count as well. */
export const SESSION_CREATE_PER_MINUTE = 20;
/** Form submissions in any 60 seconds from one visitor IP address, or IPv6 /64 network, to one assistant. */
export const FORM_SUBMISSIONS_PER_MINUTE = 10;
/** Open point: form submissions to one assistant in a clock hour from all addresses, unless the operator sets another number. */
export const FORM_SUBMISSIONS_PER_HOUR = 6000;

export const TTL_MINUTES_DEFAULT = 15;
export const TTL_MINUTES_MIN = 1;
export const TTL_MINUTES_MAX = 60;

/** Longer user ids are rejected. All lengths "in characters" count Unicode code points. */
export const USER_ID_MAX_CHARACTERS = 255;
/** Longer names are truncated. */
export const USER_NAME_MAX_CHARACTERS = 100;
/** Longer addresses are truncated. */
export const USER_EMAIL_MAX_CHARACTERS = 255;
/** Size of the compact JSON serialization in UTF-8. */
export const CONTEXT_MAX_BYTES = 2048;
export const USAGE_WEBHOOK_SECRET_MIN_CHARACTERS = 32;
/** Open point: the token contains the secret and must fit into a header. */
export const USAGE_WEBHOOK_SECRET_MAX_CHARACTERS = 256;
/** Open point: API Gateway accepts 10 KB of headers in total. */
export const SESSION_TOKEN_MAX_BYTES = 8192;

/** Length of an Action's or a usage webhook's URL as it was typed. */
export const URL_MAX_CHARACTERS = 2000;
/** Open point: size of an Action's URL as it is sent. One character can become twelve bytes (`%F0%9F%98%80`). */
export const URL_ENCODED_MAX_BYTES = 24_000;
/** Open point: size of a usage webhook's URL as it is sent. The token contains the URL and must fit into a header. */
export const USAGE_WEBHOOK_URL_ENCODED_MAX_BYTES = 2000;
export const ACTIONS_PER_ORGANIZATION = 50;
/** Open point: assistants of an organization, unless the operator allows more or fewer. */
export const ASSISTANTS_PER_ORGANIZATION = 100;
/** The most assistants that the operator can allow an organization. */
export const ASSISTANTS_PER_ORGANIZATION_MAX = 10_000;
/** Assistants in one response of a list. An assistant can have 60 KB of JSON, and Lambda's response 6 MB. */
export const ASSISTANTS_PER_PAGE = 50;
export const AUDIT_PER_PAGE = 100;
/** Characters that the audit trail keeps of an old or new value. All values of a record are far smaller than an item may be. */
export const AUDIT_VALUE_CHARACTERS = 500;
export const AI_DESCRIPTION_MIN_CHARACTERS = 10;
/** Of the key that a runtime gives a tool call. */
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 128;
/** Calls of one AI-decided Action. Calls with invalid arguments do not count. */
export const AI_CALLS_PER_CONVERSATION = 5;
/** How much of a response that is not JSON the assistant receives. */
export const NON_JSON_RESPONSE_CHARACTERS = 500;

/** Open point: levels of nesting in the data of an event, itself the first. Recursion fails at some thousand levels. */
export const EVENT_DATA_MAX_LEVELS = 500;
/**
 * Open point: size of the `Detail` of an event in UTF-8. EventBridge's entry and SQS's message may both have 1,048,576 bytes, and the message
 * also has the keys, the id and the time that EventBridge adds.
 */
export const EVENT_DETAIL_MAX_BYTES = 1_048_000;
/** Pauses in seconds between the attempts of one Event delivery. */
export const EVENT_RETRY_DELAYS_SECONDS: readonly number[] = [2, 4];
export const EVENT_ATTEMPTS = EVENT_RETRY_DELAYS_SECONDS.length + 1;
/** Limit for DNS lookup, connection, TLS, headers and body together. */
export const OUTBOUND_TIMEOUT_MS = 5000;
/**
 * Form, AI-decided and test requests of one organization that may wait for a response at the same time, and, counted apart, its usage
 * webhooks. Each occupies one concurrent execution of a function for up to five seconds, and an AWS account has 1 000 by default.
 */
export const REQUESTS_IN_FLIGHT_PER_ORGANIZATION = 50;
/** How much of a response is read; the rest is discarded. */
export const RESPONSE_READ_MAX_BYTES = 1024 * 1024;
/** How much of a response the delivery log keeps. */
export const RESPONSE_EXCERPT_CHARACTERS = 2000;

/** Open point: size of the mapped fields of a response as JSON in UTF-8. Fields that exceed it together with those before them are left out. */
export const TOOL_RESPONSE_MAX_BYTES = 1024 * 1024;

export const FORM_KEY_MAX_CHARACTERS = 100;
export const FORM_STRING_MAX_CHARACTERS = 5000;
export const FORM_LIST_MAX_ITEMS = 50;
export const FORM_LIST_ITEM_MAX_CHARACTERS = 500;

/** Open point: test requests of one organization in any 60 seconds. */
export const ACTION_TESTS_PER_MINUTE = 10;

/** Open points: the spec names no upper bound for the following, up to DAILY_OUTBOUND_QUOTA_MAX, and storage needs one. */
export const NAME_MAX_CHARACTERS = 100;
export const AI_DESCRIPTION_MAX_CHARACTERS = 1024;
export const FORM_FIELDS_MAX = 50;
/** Name of a parameter or of an entry of a response field map. Model APIs accept no longer names of parameters. */
export const PARAMETER_NAME_MAX_CHARACTERS = 64;
export const PARAMETER_DESCRIPTION_MAX_CHARACTERS = 1000;
export const PARAMETER_ENUM_MAX_VALUES = 100;
export const PARAMETER_ENUM_VALUE_MAX_CHARACTERS = 200;
/** Address of the page from which the visitor came. Longer addresses are truncated. */
export const REFERRER_MAX_CHARACTERS = 2000;
/** Number of parameters of an AI-decided Action, and of entries of its response field map. */
export const PARAMETERS_MAX_PROPERTIES = 50;
/** Size of the settings of an Action as compact JSON in UTF-8. Listing an organization's Actions reads and returns fifty times as much. */
export const ACTION_MAX_BYTES = 32 * 1024;
/** Size of the parameters as compact JSON in UTF-8. */
export const PARAMETERS_MAX_BYTES = 16 * 1024;
export const PATTERN_MAX_CHARACTERS = 200;
/** Instructions of a pattern, and of all of an Action. `[a-z]{1,255}` has about 500; a thousand take up to 30 ms. */
export const PATTERN_MAX_INSTRUCTIONS = 600;
export const PATTERNS_MAX_INSTRUCTIONS = 5000;
/**
 * Open point: instructions of the patterns times UTF-16 units of their arguments, of one call together. The slowest patterns take 50 ns
 * for each, so that all matches of a call take at most 25 ms.
 */
export const PATTERN_WORK_MAX = 500_000;
export const FIELD_PATH_MAX_CHARACTERS = 200;
export const ALLOWED_DOMAINS_MAX = 100;
export const IP_ALLOWLIST_MAX = 100;
export const HOURLY_RATE_LIMIT_MAX = 10_000_000;
/** Highest quota of outbound requests per UTC day that the operator can set for an organization. */
export const DAILY_OUTBOUND_QUOTA_MAX = 1_000_000_000;

/** A refusal names at most this many wrong fields. */
export const WRONG_FIELDS_MAX = 100;
/** Larger request bodies are refused with 413 before they are parsed. */
export const REQUEST_BODY_MAX_BYTES = 256 * 1024;

/** Open point: seconds for which an unused conversation id stays valid. */
export const CONVERSATION_TTL_SECONDS = 30 * 24 * 3600;
