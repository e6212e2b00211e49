import { setTimeout as pause } from 'node:timers/promises';
import { inFlightLeases } from '../../src/adapters/dynamodb/in-flight-leases.ts';
import { REQUESTS_IN_FLIGHT_PER_ORGANIZATION } from '../../src/contract/limits.ts';
import type { Deliver, OutboundOutcome, OutboundRequest } from '../../src/domain/delivery/outbound.ts';
import { withinInFlight } from '../../src/domain/delivery/within-in-flight.ts';
import { ratioGoal, type Section } from '../report.ts';
import { type Storage, startStorage } from '../setting/storage.ts';

/** All figures are a tenth of an account: 1 000 concurrent executions, 2 000 requests per second of one organization, 100 of another. */
const SCALE = 10;
const EXECUTIONS = 1000 / SCALE;
const NOISY_PER_SECOND = 2000 / SCALE;
const QUIET_PER_SECOND = 100 / SCALE;
const HANG_MS = 5000;
const QUIET_MS = 50;
const SECONDS = 15;

const DONE: OutboundOutcome = {
  status: 200,
  body: new Uint8Array(),
  bodyComplete: true,
  latencyMs: 0,
  failure: null,
  note: null,
};

type Found = { readonly refused: number; readonly p99: number; readonly noisyInFlight: number };

/** Measures how an organization with a hanging endpoint affects another organization, with and without a bound on requests in flight. */
export async function inFlight(folder: string): Promise<Section> {
  const storage = await startStorage(folder);
  try {
    const alone = await run(bounded(storage), 0);
    const without = await run(deliver, NOISY_PER_SECOND);
    const withBound = await run(bounded(storage), NOISY_PER_SECOND);
    const row = (name: string, { refused, p99, noisyInFlight }: Found) => [name, noisyInFlight, refused, p99];
    return {
      title: 'One organization whose endpoint hangs',
      method: `The scale is a tenth of an account: ${EXECUTIONS} concurrent executions. For ${SECONDS} s, one organization sends ${NOISY_PER_SECOND} requests per second to an
endpoint that hangs for ${HANG_MS / 1000} s. Another organization sends ${QUIET_PER_SECOND} requests per second to an endpoint that answers after ${QUIET_MS} ms. A request
without a free execution is throttled, as on Lambda. The bound is the deployed one (${REQUESTS_IN_FLIGHT_PER_ORGANIZATION / SCALE} instead of ${REQUESTS_IN_FLIGHT_PER_ORGANIZATION} at this
scale), with a real table. It costs two writes per request.`,
      tables: [
        {
          columns: [
            'Load',
            'most executions of the hanging organization',
            'other organization: % throttled',
            'other organization: p99 ms',
          ],
          rows: [
            row('other organization alone', alone),
            row('both, without a bound', without),
            row('both, with the bound', withBound),
          ],
        },
      ],
      goals: [
        ratioGoal('p99 of the other organization: ratio of both with the bound to alone', withBound.p99 / alone.p99, {
          max: 1.2,
        }),
        ratioGoal('% of the other organization throttled with the bound', withBound.refused, { max: 0 }),
      ],
    };
  } finally {
    await storage.stop();
  }
}

/** Represents the outbound request. It takes as many milliseconds as the query of the URL says. */
const deliver: Deliver = async ({ url }) => {
  await pause(Number(new URL(url).searchParams.get('ms')));
  return DONE;
};

function bounded(storage: Storage): Deliver {
  return withinInFlight(deliver, {
    takeLease: inFlightLeases(storage.dynamo, 'counters', REQUESTS_IN_FLIGHT_PER_ORGANIZATION / SCALE),
    // As in the service, a request is sent even if its lease cannot be stored.
    leaseFailed: () => undefined,
    now: () => new Date(),
  });
}

const requestOf = (org: string, ms: number): OutboundRequest => ({
  method: 'POST',
  url: `https://endpoint.example/?ms=${ms}`,
  headers: {},
  body: null,
  inFlightOf: org,
});

async function run(deliverRequest: Deliver, noisyPerSecond: number): Promise<Found> {
  const taken = { noisy: 0, quiet: 0 };
  const latencies: number[] = [];
  let noisyAtMost = 0;
  let throttled = 0;
  const invoke = async (who: 'noisy' | 'quiet', ms: number) => {
    if (taken.noisy + taken.quiet >= EXECUTIONS) {
      if (who === 'quiet') throttled += 1;
      return;
    }
    taken[who] += 1;
    noisyAtMost = Math.max(noisyAtMost, taken.noisy);
    const startedAt = performance.now();
    try {
      await deliverRequest(requestOf(who, ms));
    } finally {
      taken[who] -= 1;
    }
    if (who === 'quiet') latencies.push(performance.now() - startedAt);
  };
  const under: Promise<void>[] = [];
  const startedAt = performance.now();
  const sent = { noisy: 0, quiet: 0 };
  while (performance.now() - startedAt < SECONDS * 1000) {
    const seconds = (performance.now() - startedAt) / 1000;
    for (; sent.noisy < seconds * noisyPerSecond; sent.noisy += 1) under.push(invoke('noisy', HANG_MS));
    for (; sent.quiet < seconds * QUIET_PER_SECOND; sent.quiet += 1) under.push(invoke('quiet', QUIET_MS));
    await pause(2);
  }
  await Promise.all(under);
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    refused: (throttled / sent.quiet) * 100,
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN,
    noisyInFlight: noisyAtMost,
  };
}
