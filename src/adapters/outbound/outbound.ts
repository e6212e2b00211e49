import * as strictRule from '#network-rule';
import { OUTBOUND_TIMEOUT_MS } from '../../contract/limits.ts';
import type { EndpointAnswer, MakeAttempt, OutboundRequest, SendPolicy } from '../../domain/context.ts';
import { InvocationEnded } from '../../domain/delivery/outbound-request.ts';
import { failureAnswer } from '../../domain/delivery/outcome.ts';
import { Failure, type OutboundAttempt, startAttempt } from './attempt.ts';
import { createConnect } from './connect.ts';
import { createResolve, parseEndpoint } from './endpoint.ts';
import { exchange } from './exchange.ts';
import { createIdleConnections } from './idle-connections.ts';
import type { NetworkRule } from './network-rule.ts';

export type OutboundOptions = {
  /** In milliseconds: one that measures durations, and the time since the epoch, which also advances while the process is frozen. */
  readonly clock: { readonly monotonicTime: () => number; readonly wallTime: () => number };
  /** @default OUTBOUND_TIMEOUT_MS (5 s, spec "Limits") */
  readonly timeoutMs?: number;
  /** Another network rule, for tests on loopback. @default the module that the bundle has for `#network-rule` */
  readonly networkRule?: NetworkRule;
};

export type Outbound = {
  /**
   * Makes one attempt, which sends at most one request and ends within `timeoutMs` for any behaviour of the receiver. A failed outcome has
   * a code of `FAILURE_CODES` (docs/delivery.md). Spec "Outbound: Action request", "usage webhook", "Limits".
   */
  readonly makeAttempt: MakeAttempt;
  /** Closes the connections that wait for another request. `makeAttempt` can still be used. */
  readonly close: () => void;
};

/** Creates the outbound pipeline. Create one per process at its start, because reading the certificate authorities takes time. */
export function createOutbound({
  clock,
  timeoutMs = OUTBOUND_TIMEOUT_MS,
  networkRule = strictRule,
}: OutboundOptions): Outbound {
  const resolve = createResolve(networkRule, clock.wallTime);
  const connect = createConnect(networkRule, clock.wallTime);
  const idle = createIdleConnections(clock.wallTime);

  async function send(
    request: OutboundRequest,
    { connectionKey, keepBytes }: SendPolicy,
    attempt: OutboundAttempt,
  ): Promise<EndpointAnswer> {
    const endpoint = parseEndpoint(request.url, networkRule);
    const addresses = await resolve(endpoint, attempt);
    attempt.endIfLate();
    attempt.signal.throwIfAborted();
    // Without a key, the connection is new and closed after the response.
    const key = connectionKey && `${endpoint.host} ${endpoint.port} ${connectionKey}`;
    const idleConnection = key ? await idle.take(key, addresses) : undefined;
    const connection = idleConnection ?? (await connect(endpoint, addresses, attempt, key));
    try {
      const reading = { keepBytes, isKeptAlive: key !== undefined };
      const { answer, isReusable } = await exchange(connection, endpoint, request, reading, attempt);
      if (key && isReusable) idle.keepConnection(key, { ...connection, certificateAsked: false });
      return answer;
    } catch (error) {
      connection.socket.destroy();
      // The server may have closed it while it was idle, although it had announced to keep it.
      if (key && idleConnection) idle.distrust(key);
      throw error;
    }
  }

  return {
    makeAttempt: async (request, policy = {}, invocationSignal) => {
      const startedAt = clock.monotonicTime();
      const attempt = startAttempt(timeoutMs, clock.monotonicTime, invocationSignal);
      try {
        attempt.signal.throwIfAborted();
        const answer = await send(request, policy, attempt).catch((cause: unknown) => answerOfFault(cause, request));
        return { ...answer, latency_ms: Math.round(clock.monotonicTime() - startedAt) };
      } finally {
        attempt.finish();
      }
    },
    close: () => idle.clear(),
  };
}

/** Returns the answer of an attempt without a usable response: no body, and why. @throws InvocationEnded */
function answerOfFault(cause: unknown, { withheldTexts }: OutboundRequest): EndpointAnswer {
  if (cause instanceof InvocationEnded) throw cause;
  if (cause instanceof Failure) return failureAnswer(cause, cause.status, withheldTexts);
  return { ...failureAnswer({ code: 'internal_error', message: 'The service could not make the request' }), cause };
}
