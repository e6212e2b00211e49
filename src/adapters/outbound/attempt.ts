import { Failure } from './failure.ts';

const STAGES = {
  resolving: 'the host name was being resolved',
  connecting: 'the connection was being opened',
  securing: 'TLS was being negotiated',
  waiting: 'the answer was being waited for',
} as const;

/** One attempt under its one deadline, which runs over every stage; the signal's reason is always a Failure. */
export type Attempt = {
  readonly signal: AbortSignal;
  /** What a timeout is to name. */
  stage: keyof typeof STAGES;
  /** Ends the attempt from outside. */
  readonly abort: (failure: Failure) => void;
  /** Milliseconds that are left. */
  readonly remainingMs: () => number;
  /** Has to be called when the attempt is over. */
  readonly finish: () => void;
};

/**
 * @param timeoutMs milliseconds until the signal fires, whatever the attempt is busy with
 * @param now monotonic milliseconds
 */
export function startAttempt(timeoutMs: number, now: () => number): Attempt {
  const controller = new AbortController();
  const endsAt = now() + timeoutMs;
  const timer = setTimeout(() => {
    const what = `No answer within ${timeoutMs / 1000} seconds: time ran out while ${STAGES[attempt.stage]}`;
    controller.abort(new Failure('timeout', what));
  }, timeoutMs);
  const attempt: Attempt = {
    signal: controller.signal,
    stage: 'resolving',
    abort: (failure) => controller.abort(failure),
    remainingMs: () => Math.max(0, endsAt - now()),
    finish: () => clearTimeout(timer),
  };
  return attempt;
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it fires: no library is trusted to keep the deadline.
 * @param giveUp releases what `work` holds when nobody waits for it any more
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
