/**
 * An answer that says no to the caller: the caller's fault, told in one message.
 * Anything else that is thrown is our own fault; its cause is logged and hidden behind a 5xx.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 429 | 502;
  /** Seconds until it makes sense to ask again (429 only). */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: Refusal['status'], message: string, options: { retryAfterSeconds?: number } = {}) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
