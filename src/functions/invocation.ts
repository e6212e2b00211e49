import { InvocationEnded } from '../domain/delivery/outbound.ts';

/** The part of Lambda's context that says how much time an invocation has, in milliseconds. */
export type InvocationTime = { readonly getRemainingTimeInMillis: () => number };

/** One for all invocations, because nearly every invocation ends without anybody who sees it. */
const ENDED = new InvocationEnded();

/**
 * Runs the work of one invocation. An environment may have many invocations at the same time, and one that times out is not stopped. So
 * the work gets a signal that fires when its invocation ends, and at its deadline at the latest, with InvocationEnded as the reason.
 */
export async function withinInvocation<Result>(
  time: InvocationTime,
  work: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const end = () => ended.abort(ENDED);
  const deadline = setTimeout(end, time.getRemainingTimeInMillis());
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(deadline);
    end();
  }
}

/** Returns a function that makes a call, or throws InvocationEnded when the signal has fired. */
export const unlessEnded =
  <Parameters extends readonly unknown[], Result>(
    ended: AbortSignal,
    call: (...parameters: Parameters) => Promise<Result>,
  ): ((...parameters: Parameters) => Promise<Result>) =>
  async (...parameters) => {
    ended.throwIfAborted();
    return call(...parameters);
  };
