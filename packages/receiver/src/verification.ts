import { createHmac, timingSafeEqual } from 'node:crypto';

/** The reason why a request was refused. Codes are stable: use them in metrics and alarms. The message is for people. */
export type VerificationErrorCode =
  | 'signature_missing'
  | 'signature_malformed'
  | 'timestamp_stale'
  | 'signature_mismatch'
  | 'request_malformed'
  | 'body_too_large';

/**
 * The error for a request that the receiver must not act upon. `status` is the HTTP status to answer: 400 for a missing or
 * malformed header, a malformed body or a stale timestamp, 401 when the digest does not match, 413 for a body that is larger than
 * the middleware's limit. The error contains no secret, no signature and no part of the body.
 */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly status: 400 | 401 | 413;
  readonly code: VerificationErrorCode;

  constructor(code: VerificationErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = code === 'signature_mismatch' ? 401 : code === 'body_too_large' ? 413 : 400;
  }
}

export type VerifyOptions = {
  /** How many seconds the timestamp may be before or after now. @default 300 */
  readonly toleranceSeconds?: number | undefined;
  /** Unix time in milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
};

/** The headers of a request of Node, Express, Lambda or fetch. Names may be in upper or lower case. */
export type HeaderSource =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null };

/**
 * One secret, or several when one endpoint serves several Actions. Each Action has its own secret. The type permits the value of an
 * environment variable. A variable that is not set is a TypeError.
 */
export type Secret = string | undefined | readonly (string | undefined)[];

/**
 * Checks a secret when a program starts.
 * @throws TypeError for a missing or empty secret, such as an environment variable that is not set
 */
export function requireSecret(secret: UsageSecret): void {
  if (typeof secret !== 'function') secretsOf(secret);
}

export type JsonObject = { readonly [key: string]: unknown };

/** Body of an Event Action request. */
export type EventEnvelope = {
  /** UUID of the event. The same event can arrive more than once, always with the same id. */
  readonly id: string;
  readonly event: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: JsonObject;
  readonly site_id: string;
  readonly org_id: string;
};

/** Body of a Form Action request. */
export type FormSubmission = {
  readonly values: { readonly [key: string]: string | number | boolean | readonly string[] };
  readonly conversation_id: string;
  readonly submission_id: string;
};

type Verified<Trigger, Body, Key> = {
  readonly trigger: Trigger;
  /** `X-Service-Trigger-Ref`: event name, conversation id, or form submission id. It is not signed, and neither is the trigger. */
  readonly triggerRef: string;
  /** When the request was signed, in Unix seconds. */
  readonly timestamp: number;
  /**
   * Store it under a unique constraint; on a repeat, answer 2xx and do nothing else. It comes from the signed body, and is null
   * when the request has no body, as with GET, and for AI-decided Actions.
   */
  readonly deduplicationKey: Key;
  /** Null when the Action's method is GET, which sends no body. */
  readonly body: Body | null;
};

export type VerifiedEvent = Verified<'event', EventEnvelope, string | null>;
/** A verified AI-decided call. Its body holds the arguments that the assistant produced. */
export type VerifiedAiCall = Verified<'ai', JsonObject, null>;
export type VerifiedForm = Verified<'form', FormSubmission, string | null>;
export type VerifiedAction = VerifiedEvent | VerifiedAiCall | VerifiedForm;

/**
 * Checks that an Action request was signed with the Action's signing secret at most 300 seconds from now, and parses it.
 *
 * @param rawBody the bytes as they arrived; a string is encoded as UTF-8. Parsing and serializing again breaks the signature.
 * @param secret the signing secret of the Action, or the secrets of all Actions that send to this endpoint
 * @throws VerificationError with `status` 400 or 401
 * @throws TypeError when called with a parsed body, or without a secret
 *
 * @example
 * const action = verifyAction(rawBody, request.headers, process.env.SIGNING_SECRET);
 * if (action.trigger === 'event' && action.body?.event === 'conversation.started') …
 */
export function verifyAction(
  rawBody: Uint8Array | string,
  headers: HeaderSource,
  secret: Secret,
  options: VerifyOptions = {},
): VerifiedAction {
  const secrets = secretsOf(secret);
  const bytes = bytesOf(rawBody);
  const { t, v1 } = parseSignature(headerValue(headers, 'x-service-signature'));
  const timestamp = Number(t);
  requireFresh(timestamp, options);
  if (!digestMatches(v1, secrets, Buffer.concat([Buffer.from(`${t}.`), bytes]))) {
    throw new VerificationError('signature_mismatch', 'The signature does not match the body');
  }
  const trigger = headerValue(headers, 'x-service-trigger');
  const triggerRef = headerValue(headers, 'x-service-trigger-ref');
  if (triggerRef === undefined) throw malformed('X-Service-Trigger-Ref is missing');
  const common = { triggerRef, timestamp };
  const body = bytes.length === 0 ? null : jsonObject(bytes);
  if (trigger === 'ai') return { ...common, trigger, deduplicationKey: null, body };
  if (trigger !== 'event' && trigger !== 'form') throw malformed('X-Service-Trigger must be event, ai or form');
  if (body === null) return { ...common, trigger, deduplicationKey: null, body };
  // The signature does not cover the trigger headers. A body that does not match them may be a signed request with changed headers.
  if (trigger === 'event') {
    if (!isEnvelope(body) || body.event !== triggerRef) throw malformed('The body is not the envelope of this event');
    return { ...common, trigger, deduplicationKey: body.id, body };
  }
  if (!isSubmission(body) || body.submission_id !== triggerRef) throw malformed('The body is not this submission');
  return { ...common, trigger, deduplicationKey: body.submission_id, body };
}

/** Parses `t=<unix seconds>,v1=<64 hex digits>`. It ignores other schemes next to `v1`, so that the service can add one. */
function parseSignature(header: string | undefined): { readonly t: string; readonly v1: string } {
  if (header === undefined) throw new VerificationError('signature_missing', 'X-Service-Signature is missing');
  const pairs = [...header.matchAll(/([^\s,=]*)=([^,]*)/g)];
  const parts = new Map(pairs.map(([, name, value]) => [name, value?.trim()]));
  const t = parts.get('t') ?? '';
  const v1 = parts.get('v1') ?? '';
  if (parts.size < pairs.length || !/^[0-9]{1,12}$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) {
    throw new VerificationError(
      'signature_malformed',
      'X-Service-Signature is not t=<unix seconds>,v1=<64 hex digits>',
    );
  }
  return { t, v1 };
}

function isEnvelope(body: JsonObject): body is EventEnvelope {
  const { id, event, timestamp, site_id, org_id, data } = body;
  return areTexts(id, event, timestamp, site_id, org_id) && id !== '' && isJsonObject(data);
}

function isSubmission(body: JsonObject): body is FormSubmission {
  return areTexts(body.submission_id, body.conversation_id) && isJsonObject(body.values);
}

function malformed(message: string): VerificationError {
  return new VerificationError('request_malformed', message);
}

/** Body of a usage webhook: the usage of one conversation turn. */
export type UsageReport = {
  readonly session_id: string;
  readonly user_id: string;
  readonly site_id: string;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly total_tokens: number;
    readonly tts_chars: number;
    readonly tts_provider: string | null;
  };
  /** Unix seconds. */
  readonly timestamp: number;
  /** New for each request; deduplicate on it. */
  readonly nonce: string;
};

/**
 * The secret that the backend passed to session create, or a function that returns it for the session named in the unverified
 * report. Visitors can read the secret in their session token: give each user a different one, so that no user can sign a report
 * for another user.
 */
export type UsageSecret = Secret | ((claimed: UsageReport) => Secret);

/**
 * Checks that a usage webhook was signed with the secret that the backend passed to session create, at most 300 seconds from now,
 * and parses it.
 *
 * @param rawBody the bytes as they arrived; a string is encoded as UTF-8
 * @throws VerificationError with `status` 400 or 401
 * @throws TypeError when called with a parsed body, or without a secret
 *
 * @example
 * const report = verifyUsageWebhook(rawBody, request.headers, ({ user_id }) => usageSecretOf(user_id));
 * return { should_continue: budgetLeft(report.user_id, report.usage.total_tokens) };
 */
export function verifyUsageWebhook(
  rawBody: Uint8Array | string,
  headers: HeaderSource,
  secret: UsageSecret,
  options: VerifyOptions = {},
): UsageReport {
  requireSecret(secret);
  const bytes = bytesOf(rawBody);
  const digest = headerValue(headers, 'x-webhook-signature');
  const timestamp = headerValue(headers, 'x-webhook-timestamp');
  if (digest === undefined) throw new VerificationError('signature_missing', 'X-Webhook-Signature is missing');
  if (timestamp === undefined) throw new VerificationError('signature_missing', 'X-Webhook-Timestamp is missing');
  if (!/^[0-9a-f]{64}$/.test(digest) || !/^[0-9]{1,12}$/.test(timestamp)) {
    throw new VerificationError('signature_malformed', 'X-Webhook-Signature or X-Webhook-Timestamp is malformed');
  }
  const body = jsonObject(bytes);
  // The signature covers the body's timestamp, but not the header. An old body with a new header is a replay.
  if (!isReport(body) || body.timestamp !== Number(timestamp)) {
    throw new VerificationError('request_malformed', 'The body is not a usage report of X-Webhook-Timestamp');
  }
  requireFresh(body.timestamp, options);
  const secretOfSession = typeof secret === 'function' ? secret(body) : secret;
  const secrets = secretOfSession === undefined ? [] : secretsOf(secretOfSession);
  // A proxy may have reformatted the body, so its canonical form counts as well.
  if (!digestMatches(digest, secrets, bytes) && !digestMatches(digest, secrets, canonicalJson(body))) {
    throw new VerificationError('signature_mismatch', 'The signature does not match the body');
  }
  return body;
}

function isReport(body: JsonObject): body is UsageReport {
  const { usage, timestamp, session_id, user_id, site_id, nonce } = body;
  return (
    areTexts(session_id, user_id, site_id, nonce) &&
    isJsonObject(usage) &&
    areNumbers(timestamp, usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.tts_chars)
  );
}

/** A usage webhook has two levels. A hostile body with far more levels would exhaust the stack and cause a RangeError. */
const MAX_DEPTH = 64;

/**
 * Serializes parsed JSON with keys sorted at every level, compact separators, and DEL and non-ASCII characters as \uXXXX.
 * The service signs and sends usage webhooks in this form.
 * @throws VerificationError `request_malformed` for more than 64 levels
 */
function canonicalJson(value: unknown): string {
  return write(value, 1).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function write(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH) throw new VerificationError('request_malformed', 'The body is nested too deeply');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** @throws VerificationError `timestamp_stale` when the timestamp is too far from now */
function requireFresh(unixSeconds: number, { toleranceSeconds = 300, now = Date.now }: VerifyOptions): void {
  // This form of the condition also refuses NaN.
  if (!(Math.abs(now() / 1000 - unixSeconds) <= toleranceSeconds)) {
    throw new VerificationError('timestamp_stale', 'The timestamp is too far from now');
  }
}

/** Returns a header's value, or undefined. Joins repeated headers as HTTP does; a repeated signature header is then malformed. */
function headerValue(headers: HeaderSource, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length === 0 ? undefined : values.join(', ');
}

function isFetchHeaders(headers: HeaderSource): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

/** Lists the secrets. @throws TypeError for a missing or empty secret, and for an empty list */
function secretsOf(secret: Secret): readonly string[] {
  const given = [secret].flat();
  // With an empty secret, any caller could sign.
  const secrets = given.filter((one): one is string => typeof one === 'string' && one !== '');
  if (given.length === 0 || secrets.length < given.length) {
    throw new TypeError('The secret must be a non-empty string, or a list of them. Is its environment variable set?');
  }
  return secrets;
}

/** Returns whether the hex digest is the HMAC-SHA256 of the message under one of the secrets. Compares in constant time. */
function digestMatches(digest: string, secrets: readonly string[], message: string | Uint8Array): boolean {
  const received = Buffer.from(digest, 'hex');
  let matches = false;
  for (const one of secrets) {
    const expected = createHmac('sha256', one).update(message).digest();
    if (received.length === expected.length && timingSafeEqual(received, expected)) matches = true;
  }
  return matches;
}

/** Returns the bytes of a raw body. @throws TypeError for any other type, which is a fault of the calling program */
function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody must be the bytes of the request body as they arrived, not a parsed body');
}

/** Parses the bytes of a body. @throws VerificationError `request_malformed` when they are not one JSON object in UTF-8 */
function jsonObject(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw new VerificationError('request_malformed', 'The body is not a JSON object');
  return value;
}

const areTexts = (...values: readonly unknown[]) => values.every((value) => typeof value === 'string');
const areNumbers = (...values: readonly unknown[]) => values.every((value) => typeof value === 'number');

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
