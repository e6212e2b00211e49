import type { Clock } from '../sources.ts';
import type { Deliver, OutboundOutcome } from './outbound.ts';

/** A place among an organization's requests in flight. It ends by itself, so that a function that was cut off keeps none. */
export type Lease = { readonly release: () => Promise<void> };

/** Takes a place for an organization; undefined when all of them are taken. */
export type TakeLease = (orgId: string, now: Date) => Promise<Lease | undefined>;

export type WithinInFlightPorts = {
  readonly takeLease: TakeLease;
  /** Tells the operator of a place that could not be taken or given back. */
  readonly leaseFailed: (orgId: string, cause: unknown) => void;
  readonly now: Clock;
};

const TOO_MANY: OutboundOutcome = {
  status: null,
  body: new Uint8Array(),
  bodyComplete: false,
  latencyMs: 0,
  failure: {
    code: 'too_many_in_flight',
    message: 'The organization has too many requests in flight; this one was not sent',
  },
  note: null,
};

/**
 * Delivers, but no more than a fixed number of an organization's requests at once: each keeps a whole function waiting for its
 * endpoint, and the functions that an account may run at once are there for everybody. When the places cannot be reached, the request is
 * made: they protect the other organizations' speed, and a fault of ours must not lose a customer's request.
 */
export function withinInFlight(deliver: Deliver, ports: WithinInFlightPorts): Deliver {
  const untold = (orgId: string) => (cause: unknown) => {
    ports.leaseFailed(orgId, cause);
    return 'unknown' as const;
  };
  return async (request) => {
    const orgId = request.inFlightOf;
    if (orgId === undefined) return deliver(request);
    const lease = await ports.takeLease(orgId, ports.now()).catch(untold(orgId));
    if (lease === undefined) return TOO_MANY;
    try {
      return await deliver(request);
    } finally {
      if (lease !== 'unknown') await lease.release().catch(untold(orgId));
    }
  };
}
