import type { FailureCode } from '../../contract/delivery-record.ts';
import { InvocationEnded } from '../../domain/delivery/outbound-request.ts';

const STAGES = {
  resolving: 'the host name was being resolved',
  connecting: 'the connection was being opened',
  securing: 'TLS was being negotiated',
  waiting: 'the service was waiting for the response',
} as const;

/** One attempt. Its deadline applies to all stages together. The reason of the signal is a Failure or InvocationEnded. */
export type Attempt = {
  readonly signal: AbortSignal;
  /** The current stage, which the message of a timeout names. */
  stage: keyof typeof STAGES;
  /** Returns the remaining milliseconds. */
  readonly remainingMs: () => number;
  /** Stops what could end the attempt. Must be called when it has ended. */
  readonly finish: () => void;
};

/**
 * Starts an attempt.
 * @param timeoutMs milliseconds until the signal fires, in any stage
 * @param now monotonic milliseconds
 * @param ended fires when the attempt's invocation ends
 */
export function startAttempt(timeoutMs: number, now: () => number, ended?: AbortSignal): Attempt {
  const controller = new AbortController();
  const endsAt = now() + timeoutMs;
  const timer = setTimeout(() => {
    const what = `No complete response within ${timeoutMs / 1000} seconds: the time ended while ${STAGES[attempt.stage]}`;
    controller.abort(new Failure('timeout', what));
  }, timeoutMs);
  const end = () => controller.abort(new InvocationEnded());
  if (ended?.aborted === true) end();
  ended?.addEventListener('abort', end);
  const attempt: Attempt = {
    signal: controller.signal,
    stage: 'resolving',
    remainingMs: () => Math.max(0, endsAt - now()),
    finish: () => {
      clearTimeout(timer);
      ended?.removeEventListener('abort', end);
    },
  };
  return attempt;
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it fires. The deadline does not depend on a library this way.
 * @param giveUp releases the resources of `work` when the signal fires
 */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      giveUp();
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The reason why an attempt ended without a usable response. Its message is one line for admins, without secrets and payload. */
export class Failure extends Error {
  readonly code: FailureCode;
  /** The status that the peer sent, when it is not valid in HTTP; otherwise null. */
  readonly status: number | null;
  constructor(code: FailureCode, message: string, status: number | null = null) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.status = status;
  }
}

/** Returns the stable code of an error of Node, c-ares, OpenSSL or llhttp; empty when it has none. */
export function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Returns an error code for a message. Only codes are used, because other parts of an error may contain text of the peer. */
export const suffix = (code: string) => (/^[A-Z0-9_/]{1,64}$/.test(code) ? ` (${code})` : '');

const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

/** Returns the failure of a DNS lookup. @param error of the resolver */
export function dnsFailure(error: unknown, host: string): Failure {
  const code = errorCode(error);
  if (NO_SUCH_NAME.has(code)) return new Failure('dns_failure', `The host name ${host} has no address`);
  return new Failure('dns_failure', `The host name ${host} could not be resolved${suffix(code)}`);
}

/** Returns the failure of opening a connection. @param error of the last address */
export function connectFailure(error: unknown, host: string): Failure {
  const code = errorCode(error);
  const what = code === 'ECONNREFUSED' ? 'refused the connection' : `could not be reached${suffix(code)}`;
  return new Failure('connect_failure', `${host} ${what}`);
}
