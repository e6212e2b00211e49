import type { EndpointAnswer, Hit, Send } from '../context.ts';
import { ServiceError } from '../service-error.ts';
import { failureAnswer } from './outcome.ts';

/**
 * The invocation has ended or its time is over, and with it everything that it was doing, as if the function had stopped. It begins no
 * request and no retry any more, and the outcome of a request that was under way is not known.
 */
export class InvocationEnded extends ServiceError {
  override readonly name = 'InvocationEnded';

  constructor() {
    super('The invocation has ended');
  }
}

const USED_UP = 'The organization has used its quota of outbound requests for this day (UTC)';
const QUOTA_USED = failureAnswer({ code: 'quota_exceeded', message: USED_UP });

/**
 * Sends no request of an organization that has used its quota of the UTC day. Every attempt counts, including retries, replays and
 * attempts to blocked addresses, because each costs the operator about the same. A request without a quota is not counted. When the
 * counter cannot be written, the request is sent: a quota limits cost, and an internal error must not lose a customer's delivery.
 */
export function withinQuota(send: Send, hitPerDay: Hit): Send {
  return async (request, policy, invocation): Promise<EndpointAnswer> => {
    if (policy.quota === undefined) return send(request, policy, invocation);
    const { orgId: org_id, perDay } = policy.quota;
    const quotaHit = await hitPerDay(org_id, perDay, invocation.now()).catch((cause: unknown) => {
      invocation.reportFact({ kind: 'request_uncounted', limit: 'quota', org_id, cause });
      return { isAllowed: true };
    });
    return quotaHit.isAllowed ? send(request, policy, invocation) : QUOTA_USED;
  };
}

/** A place among an organization's requests in flight. It expires, so that an invocation that was cut off does not keep it. */
export type Lease = { readonly release: () => Promise<void> };

/** Takes a place for an organization. Returns undefined when all places are taken. */
export type TakeLease = (orgId: string, now: Date) => Promise<Lease | undefined>;

const TOO_MANY_IN_FLIGHT = failureAnswer({
  code: 'too_many_in_flight',
  message: 'The organization has too many requests in flight; this one was not sent',
});

/**
 * Limits how many requests of an organization are in flight. Each request occupies one concurrent execution of a function while it waits
 * for its endpoint, and all organizations share the executions of the account. When the storage of the places fails, the request is sent:
 * the limit protects the speed of other organizations, and an internal error must not lose a customer's request.
 */
export function withinInFlight(send: Send, takeLease: TakeLease): Send {
  return async (request, policy, invocation) => {
    const org_id = policy.inFlightOf;
    if (org_id === undefined) return send(request, policy, invocation);
    const reportUncounted = (cause: unknown) => {
      invocation.reportFact({ kind: 'request_uncounted', limit: 'in_flight', org_id, cause });
      return 'unknown' as const;
    };
    const lease = await takeLease(org_id, invocation.now()).catch(reportUncounted);
    if (lease === undefined) return TOO_MANY_IN_FLIGHT;
    try {
      return await send(request, policy, invocation);
    } finally {
      if (lease !== 'unknown') await lease.release().catch(reportUncounted);
    }
  };
}
