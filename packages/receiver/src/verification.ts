import { createHmac, timingSafeEqual } from 'node:crypto';

/** The status to answer, by the reason why a request was refused. */
const STATUS = {
  signature_missing: 400,
  signature_malformed: 400,
  timestamp_stale: 400,
  signature_mismatch: 401,
  request_malformed: 400,
  body_too_large: 413,
  body_timeout: 408,
} as const;

/** The reason why a request was refused. Codes are stable: use them in metrics and alarms. The message is for people. */
export type VerificationErrorCode = keyof typeof STATUS;

/**
 * The error for a request that the receiver must not act upon. `status` is the HTTP status to answer: 400 for a missing or
 * malformed header, a malformed body or a stale timestamp, 401 when the digest does not match, 413 for a body that is larger than
 * any of this service, 408 for one that arrives too slowly. The error contains no secret, no signature and no part of the body.
 */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly status: (typeof STATUS)[VerificationErrorCode];
  /** NestJS answers with this status, and NestJS and Koa with the message, because `expose` is true. */
  readonly statusCode: (typeof STATUS)[VerificationErrorCode];
  readonly expose: boolean = true;
  readonly code: VerificationErrorCode;

  constructor(code: VerificationErrorCode, message: string) {
    super(message);
    this.code = code;
    this.status = this.statusCode = STATUS[code];
  }
}

/** Larger than any Action request of the service. */
export const MAX_BODY_BYTES: number = 1024 * 1024;
/** Larger than any usage report of the service. */
const MAX_REPORT_BYTES = 16 * 1024;
/** Longer than `t` and `v1`, with room for other schemes. */
const MAX_SIGNATURE_CHARACTERS = 1024;

type Tolerance = {
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

/** The kind of an Action, as `X-Service-Trigger` names it. */
export type Trigger = 'event' | 'ai' | 'form';

/** What the receiver of an Action knows. */
export type ActionReceiver<T extends Trigger = Trigger> = Tolerance & {
  /**
   * The kind of the Action. The receiver refuses any other, because the signature does not cover the header that names it: somebody who
   * has seen a signed event could otherwise send it again as a call of the assistant.
   */
  readonly trigger: T;
  /**
   * The signing secret of the Action, or the secrets of all Actions of this kind that send to the endpoint. White space and quotes around
   * it do not count.
   */
  readonly secret: Secret;
};

/** What the receiver of usage webhooks knows. */
export type UsageReceiver = Tolerance & {
  /**
   * The secret that the backend passed to session create, or a function that returns it for the session named in the unverified
   * report. Visitors can read the secret in their session token: give each user a different one, so that no user can sign a report
   * for another user.
   */
  readonly secret: UsageSecret;
};

/** The bytes of a body as they arrived. A string is encoded as UTF-8. */
export type RawBody = string | ArrayBufferView | ArrayBufferLike;

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
  /** As the service sends them. That each is of such a type is not verified. */
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
  /** The bytes as they arrived. Store these: a number of more than 15 digits is another one in `body`. Empty with GET. */
  readonly rawBody: Uint8Array;
};

export type VerifiedEvent = Verified<'event', EventEnvelope, string | null>;
/** A verified AI-decided call. Its body holds the arguments that the assistant produced. */
export type VerifiedAiCall = Verified<'ai', JsonObject, null>;
export type VerifiedForm = Verified<'form', FormSubmission, string | null>;
type VerifiedBy = { readonly event: VerifiedEvent; readonly ai: VerifiedAiCall; readonly form: VerifiedForm };
export type VerifiedAction<T extends Trigger = Trigger> = VerifiedBy[T];

/**
 * Verifies and parses a request.
 * @throws VerificationError
 * @throws TypeError for a body that is not bytes and for headers that are none
 */
export type Verify<Verified> = (rawBody: RawBody, headers: HeaderSource) => Verified;

/**
 * Checks that an Action request was signed with the Action's signing secret at most 300 seconds from now, that it is of the expected
 * kind, and parses it.
 *
 * @param rawBody the bytes as they arrived, such as those of `readRawBody`. Parsing and serializing again breaks the signature.
 * @throws VerificationError with `status` 400, 401 or 413
 * @throws TypeError when called with a parsed body, or without a secret or a kind
 *
 * @example
 * const action = verifyAction(await readRawBody(request), request.headers, { trigger: 'event', secret: process.env.SIGNING_SECRET });
 * await storeOnce(action.deduplicationKey, action.rawBody);
 */
export function verifyAction<T extends Trigger>(
  rawBody: RawBody,
  headers: HeaderSource,
  receiver: ActionReceiver<T>,
): VerifiedAction<T> {
  return actionVerifier(receiver)(rawBody, headers);
}

/**
 * Checks what the receiver of an Action knows, and returns its `verifyAction`.
 * @throws TypeError for a kind that does not exist, and for a missing or empty secret, such as an environment variable that is not set
 */
export function actionVerifier<T extends Trigger>(receiver: ActionReceiver<T>): Verify<VerifiedAction<T>> {
  const { trigger } = receiver;
  if (!Object.hasOwn(VERIFIED_AS, trigger)) {
    throw new TypeError(`trigger must be 'event', 'ai' or 'form', the kind of the Action; it is ${kindOf(trigger)}`);
  }
  const secrets = secretsOf([receiver.secret].flat().map((one) => withoutSurroundings(one)));
  return (rawBody, headers) => {
    const bytes = boundedBytes(rawBody, MAX_BODY_BYTES);
    const { t, v1 } = parseSignature(headerValue(headers, 'x-service-signature'));
    const timestamp = Number(t);
    requireFresh(timestamp, receiver);
    if (!digestMatches(v1, secrets, `${t}.`, bytes)) {
      throw new VerificationError('signature_mismatch', 'The signature does not match the body');
    }
    if (headerValue(headers, 'x-service-trigger') !== trigger) {
      throw malformedRequest(`X-Service-Trigger is not ${trigger}, the kind that this receiver expects`);
    }
    const triggerRef = headerValue(headers, 'x-service-trigger-ref');
    if (triggerRef === undefined) throw malformedRequest('X-Service-Trigger-Ref is missing');
    const body = bytes.byteLength === 0 ? null : jsonObject(bytes);
    return VERIFIED_AS[trigger](body, { triggerRef, timestamp, rawBody: bytes });
  };
}

/** What an `.env` file, `docker --env-file`, `echo` or a paste adds to a secret. A signing secret of the service has none of it. */
const AROUND_SECRET = /[\s"']/;

function withoutSurroundings(secret: string | undefined): string | undefined {
  if (typeof secret !== 'string') return secret;
  let [start, end] = [0, secret.length];
  while (AROUND_SECRET.test(secret[start] ?? '')) start += 1;
  while (end > start && AROUND_SECRET.test(secret[end - 1] ?? '')) end -= 1;
  return secret.slice(start, end);
}

type Arrived = { readonly triggerRef: string; readonly timestamp: number; readonly rawBody: Uint8Array };

/**
 * Checks a body against its Action's kind and `X-Service-Trigger-Ref`, and returns what was verified. The signature does not cover the trigger
 * headers: a body that does not match them may be a signed request with changed headers.
 */
const VERIFIED_AS: { readonly [T in Trigger]: (body: JsonObject | null, arrived: Arrived) => VerifiedBy[T] } = {
  event: (body, arrivedRequest) => {
    if (body === null) return { ...arrivedRequest, trigger: 'event', deduplicationKey: null, body };
    if (!isEnvelope(body) || body.event !== arrivedRequest.triggerRef) {
      throw malformedRequest('The body is not the envelope of this event');
    }
    return { ...arrivedRequest, trigger: 'event', deduplicationKey: body.id, body };
  },
  form: (body, arrivedRequest) => {
    if (body === null) return { ...arrivedRequest, trigger: 'form', deduplicationKey: null, body };
    if (!isSubmission(body) || body.submission_id !== arrivedRequest.triggerRef) {
      throw malformedRequest('The body is not this submission');
    }
    return { ...arrivedRequest, trigger: 'form', deduplicationKey: body.submission_id, body };
  },
  ai: (body, arrived) => ({ ...arrived, trigger: 'ai', deduplicationKey: null, body }),
};

/** Parses `t=<unix seconds>,v1=<64 hex digits>`. It ignores other schemes next to `v1`, so that the service can add one, and refuses a name that occurs twice. */
function parseSignature(header: string | undefined): { readonly t: string; readonly v1: string } {
  if (header === undefined) throw new VerificationError('signature_missing', 'X-Service-Signature is missing');
  // Anybody may send a header of any length, so only a short one is taken apart.
  const pairs = header.length > MAX_SIGNATURE_CHARACTERS ? [] : header.split(',');
  const parts = new Map(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
    }),
  );
  const t = parts.get('t') ?? '';
  const v1 = parts.get('v1') ?? '';
  if (parts.size < pairs.length || !/^[0-9]{1,12}$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) {
    const problem = 'X-Service-Signature is not t=<unix seconds>,v1=<64 hex digits>';
    throw new VerificationError('signature_malformed', problem);
  }
  return { t, v1 };
}

function isEnvelope(body: JsonObject): body is EventEnvelope {
  const { id, event, timestamp, site_id, org_id, data } = body;
  return areTexts(id, event, timestamp, site_id, org_id) && id !== '' && isJsonObject(data);
}

function isSubmission(body: JsonObject): body is FormSubmission {
  const { submission_id, conversation_id, values } = body;
  return areTexts(submission_id, conversation_id) && submission_id !== '' && isJsonObject(values);
}

function malformedRequest(message: string): VerificationError {
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

/** One secret, or a function that returns that of a report, which is not verified yet. */
export type UsageSecret = Secret | ((claimed: UsageReport) => Secret);

/**
 * Checks that a usage webhook was signed with the secret that the backend passed to session create, at most 300 seconds from now,
 * and parses it. Refuses what the service never sends, such as a negative count, because the visitor can sign as well.
 *
 * @param rawBody the bytes as they arrived, such as those of `readRawBody`
 * @throws VerificationError with `status` 400, 401 or 413
 * @throws TypeError when called with a parsed body, or without a secret
 *
 * @example
 * const secret = ({ user_id }) => usageSecretOf(user_id);
 * const report = verifyUsageWebhook(await readRawBody(request), request.headers, { secret });
 * return { should_continue: budgetLeft(report.user_id, report.usage.total_tokens) };
 */
export function verifyUsageWebhook(rawBody: RawBody, headers: HeaderSource, receiver: UsageReceiver): UsageReport {
  return usageVerifier(receiver)(rawBody, headers);
}

/**
 * Checks what the receiver of usage webhooks knows, and returns its `verifyUsageWebhook`.
 * @throws TypeError for a missing or empty secret, such as an environment variable that is not set
 */
export function usageVerifier(receiver: UsageReceiver): Verify<UsageReport> {
  const { secret } = receiver;
  if (typeof secret !== 'function') secretsOf(secret);
  return (rawBody, headers) => {
    const bytes = boundedBytes(rawBody, MAX_REPORT_BYTES);
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
      throw malformedRequest('The body is not a usage report of X-Webhook-Timestamp');
    }
    requireFresh(body.timestamp, receiver);
    const secretOfSession = typeof secret === 'function' ? secret(body) : secret;
    const secrets = secretOfSession === undefined ? [] : secretsOf(secretOfSession);
    // A proxy may have reformatted the body, so its canonical form counts as well.
    if (!digestMatches(digest, secrets, bytes) && !digestMatches(digest, secrets, canonicalJson(body))) {
      throw new VerificationError('signature_mismatch', 'The signature does not match the body');
    }
    return body;
  };
}

function isReport(body: JsonObject): body is UsageReport {
  const { usage, timestamp, session_id, user_id, site_id, nonce } = body;
  return (
    areTexts(session_id, user_id, site_id, nonce) &&
    nonce !== '' &&
    isJsonObject(usage) &&
    areCounts(timestamp, usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.tts_chars) &&
    (usage.tts_provider === null || typeof usage.tts_provider === 'string')
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
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return write(value, 1).replace(/[\u007f-\uffff]/g, escaped);
}

function write(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_DEPTH) throw malformedRequest('The body is nested too deeply');
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .map(([key, member]) => ({ key, member, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key, member }) => `${JSON.stringify(key)}:${write(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** @throws VerificationError `timestamp_stale` when the timestamp is too far from now */
function requireFresh(unixSeconds: number, { toleranceSeconds = 300, now = Date.now }: Tolerance): void {
  // This form of the condition also refuses NaN.
  if (!(Math.abs(now() / 1000 - unixSeconds) <= toleranceSeconds)) {
    throw new VerificationError('timestamp_stale', 'The timestamp is too far from now');
  }
}

/** Returns a header's value, or undefined. Joins repeated headers as HTTP does; a repeated signature header is then malformed. */
export function headerValue(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError(`headers must be the headers of the request; they are ${kindOf(headers)}`);
  }
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
  const givenSecrets = [secret].flat();
  // With an empty secret, any caller could sign.
  const secrets = givenSecrets.filter((one): one is string => typeof one === 'string' && one !== '');
  if (givenSecrets.length === 0 || secrets.length < givenSecrets.length) {
    throw new TypeError('The secret must be a non-empty string, or a list of them. Is its environment variable set?');
  }
  return secrets;
}

/** Returns whether the hex digest is the HMAC-SHA256 of the parts under one of the secrets. Compares in constant time. */
function digestMatches(
  digest: string,
  secrets: readonly string[],
  ...parts: readonly (string | Uint8Array)[]
): boolean {
  const receivedDigest = Buffer.from(digest, 'hex');
  let matches = false;
  for (const one of secrets) {
    const hmac = createHmac('sha256', one);
    for (const part of parts) hmac.update(part);
    const expected = hmac.digest();
    if (receivedDigest.length === expected.length && timingSafeEqual(receivedDigest, expected)) matches = true;
  }
  return matches;
}

/** Returns the bytes in whatever form a framework keeps them; undefined for another value. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

/** `instanceof` would not know the buffers of another realm, such as those of a test runner. */
function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return /^(?:Shared)?ArrayBuffer$/.test(kindOf(value));
}

/**
 * @throws TypeError for another value, which is a fault of the calling program
 * @throws VerificationError above `maxBytes`
 */
function boundedBytes(rawBody: unknown, maxBytes: number): Uint8Array {
  const bytes = bytesOf(rawBody);
  if (bytes === undefined) {
    const wanted =
      'rawBody must be the bytes of the body as they arrived (await readRawBody(request)), not a parsed body';
    throw new TypeError(`${wanted}; it is ${kindOf(rawBody)}`);
  }
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

export function tooLarge(maxBytes: number): VerificationError {
  return new VerificationError('body_too_large', `The body is larger than ${maxBytes} bytes`);
}

/** Names the type of a value for an error, such as `undefined`, `Object` or `Promise`, and nothing of its content. */
export function kindOf(value: unknown): string {
  return value === undefined || value === null ? String(value) : Object.prototype.toString.call(value).slice(8, -1);
}

/** Parses the bytes of a body. @throws VerificationError `request_malformed` when they are not one JSON object in UTF-8 */
function jsonObject(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw malformedRequest('The body is not a JSON object');
  return value;
}

/**
 * Parses JSON. JSON.parse of V8 13 and 14 can read a name with an escape as another name, which an object before had
 * (https://github.com/nodejs/node/issues/63785): with a backslash in the text, it therefore reads names without escapes.
 */
function parseJson(text: string): unknown {
  const parsedBody: unknown = JSON.parse(text);
  if (!text.includes('\\')) return parsedBody;
  const encodedText = text.replace(/"(?:[^"\\]|\\.)*"?(\s*:)?/g, (string, colon?: string) => {
    if (colon === undefined) return string;
    return `"${encodeURIComponent(JSON.stringify(JSON.parse(string.slice(0, -colon.length))))}":`;
  });
  return JSON.parse(encodedText, (_name, value) => {
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [JSON.parse(decodeURIComponent(name)), member]),
    );
  });
}

const areTexts = (...values: readonly unknown[]) => values.every((value) => typeof value === 'string');
const areCounts = (...values: readonly unknown[]) =>
  values.every((value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
