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
