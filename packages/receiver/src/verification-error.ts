/** Why a request was refused. Stable: meant for metrics and alarms; the message is for people. */
export type VerificationErrorCode =
  | 'signature_missing'
  | 'signature_malformed'
  | 'timestamp_stale'
  | 'signature_mismatch'
  | 'request_malformed'
  | 'body_too_large';

/**
 * A request that must not be acted upon. `status` is what to answer: 400 for a missing or malformed header and for a stale
 * timestamp, 401 when the digest does not match, 413 for a body above the limit of a middleware.
 * Neither the message nor the error holds a secret, a signature or a part of the body.
 *
 * @example
 * try {
 *   verifyAction(rawBody, headers, secret);
 * } catch (error) {
 *   if (error instanceof VerificationError) return respond(error.status, error.message);
 *   throw error;
 * }
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
