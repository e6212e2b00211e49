import { canonicalJson } from './canonical-json.ts';
import { requireFresh, type VerifyOptions } from './freshness.ts';
import { type HeaderSource, headerValue } from './headers.ts';
import { isJsonObject, type JsonObject, jsonObject } from './json-object.ts';
import { bytesOf, digestMatches, type Secret, secretsOf } from './secrets.ts';
import { VerificationError } from './verification-error.ts';

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

/** Returns the secret that a verification can use. @throws TypeError for a missing or empty secret that does not depend on the session */
export function checkedUsageSecret(secret: UsageSecret): UsageSecret {
  return typeof secret === 'function' ? secret : secretsOf(secret);
}

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
  const checked = checkedUsageSecret(secret);
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
  const secretOfSession = typeof checked === 'function' ? checked(body) : checked;
  const secrets = secretOfSession === undefined ? [] : secretsOf(secretOfSession);
  // A proxy may have reformatted the body, so its canonical form counts as well.
  if (!digestMatches(digest, secrets, [bytes]) && !digestMatches(digest, secrets, [canonicalJson(body)])) {
    throw new VerificationError('signature_mismatch', 'The signature does not match the body');
  }
  return body;
}

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens', 'tts_chars'] as const;

function isReport(body: JsonObject): body is UsageReport {
  const { usage } = body;
  return (
    [body.session_id, body.user_id, body.site_id, body.nonce].every((text) => typeof text === 'string') &&
    typeof body.timestamp === 'number' &&
    isJsonObject(usage) &&
    COUNTS.every((name) => typeof usage[name] === 'number')
  );
}
