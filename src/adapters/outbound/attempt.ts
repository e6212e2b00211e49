import type { FailureCode } from '../../contract/delivery-record.ts';
import { InvocationEnded } from '../../domain/delivery/outbound-request.ts';

const PHASES = {
  resolving: 'the host name was being resolved',
  connecting: 'the connection was being opened',
  securing: 'TLS was being negotiated',
  waiting: 'the service was waiting for the response',
} as const;

/** One attempt. Its deadline applies to all phases together. The reason of the signal is a Failure or InvocationEnded. */
export type OutboundAttempt = {
  readonly signal: AbortSignal;
  phase: keyof typeof PHASES;
  readonly remainingMs: () => number;
  /** Ends the attempt when its time is over. Its timer fires late while the process is busy, so every step asks the clock first. */
  readonly endIfLate: () => void;
  /** Stops what could end the attempt. Must be called when it has ended. */
  readonly finish: () => void;
};

/** Starts an attempt, whose signal fires after `timeoutMs` in any phase, or with the signal of its invocation. @param now monotonic milliseconds */
export function startAttempt(timeoutMs: number, now: () => number, invocationSignal?: AbortSignal): OutboundAttempt {
  const controller = new AbortController();
  const endsAt = now() + timeoutMs;
  const endByTime = () => {
    const message = `No complete response within ${timeoutMs / 1000} seconds: the time ended while ${PHASES[attempt.phase]}`;
    controller.abort(new Failure('timeout', message));
  };
  const timer = setTimeout(endByTime, timeoutMs);
  const end = () => controller.abort(new InvocationEnded());
  if (invocationSignal?.aborted === true) end();
  invocationSignal?.addEventListener('abort', end);
  const attempt: OutboundAttempt = {
    signal: controller.signal,
    phase: 'resolving',
    remainingMs: () => Math.max(0, endsAt - now()),
    endIfLate: () => {
      if (now() >= endsAt) endByTime();
    },
    finish: () => {
      clearTimeout(timer);
      invocationSignal?.removeEventListener('abort', end);
    },
  };
  return attempt;
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

/** Returns an error code as the end of a message. Only codes are used, because other parts of an error may contain text of the peer. */
export const suffix = (code: string) => (/^[A-Z0-9_/]{1,64}$/.test(code) ? ` (${code})` : '');
