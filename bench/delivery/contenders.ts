import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import * as localRule from '../../local/network-rule.ts';
import { createOutbound } from '../../src/adapters/outbound/outbound.ts';
import { lambdaContext, sqsEvent } from '../../test/lambdas/invocation.ts';
import { envelopeOf } from '../setting/bench-actions.ts';
import type { SqsHandler } from '../setting/functions.ts';
import type { Measurement } from './run-contenders.ts';

// Runs one contender in a separate process, so that its CPU time can be measured: `contenders.ts <name> <settings as JSON>`.

/** Makes deliveries until `over()` returns true. @returns their number @throws Error when one fails */
type Contender = (over: () => boolean) => Promise<number>;

/** The settings of the contenders that send by themselves. */
type Sender = {
  readonly url: string;
  readonly authorityFile: string;
  /** The number of concurrent deliveries. */
  readonly atOnce: number;
  readonly bodyBytes: number;
  readonly keepConnections: boolean;
};
type Dispatcher = {
  readonly bundle: string;
  readonly orgId: string;
  readonly actionIds: readonly string[];
  readonly batch: number;
  readonly bodyBytes: number;
};

/** Runs `deliver` in this many concurrent loops. */
function inLoops(atOnce: number, deliver: (loop: number) => Promise<void>): Contender {
  return async (over) => {
    let deliveries = 0;
    const loop = async (_: unknown, index: number) => {
      for (; !over(); deliveries += 1) await deliver(index);
    };
    await Promise.all(Array.from({ length: atOnce }, loop));
    return deliveries;
  };
}

const headers = { 'Content-Type': 'application/json' };
const bodyOf = (bytes: number) => Buffer.from(JSON.stringify(envelopeOf(randomUUID(), 'org', bytes)));

/** Sends with undici alone, without signature, check and record: the upper limit. Each loop keeps its connection, or opens a new one for each request. */
function undici({ url, authorityFile, atOnce, bodyBytes, keepConnections }: Sender): Contender {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, {
    connections: atOnce,
    pipelining: keepConnections ? 1 : 0,
    // A new connection must not resume the TLS session of another one.
    connect: { ca: readFileSync(authorityFile, 'utf8'), maxCachedSessions: 0 },
  });
  const body = bodyOf(bodyBytes);
  return inLoops(atOnce, async () => {
    const answer = await pool.request({ path, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`Status ${answer.statusCode}`);
  });
}

/**
 * Runs the outbound pipeline with its guard, deadline and limits, but without records. Ten deliveries share a key, because the
 * pipeline keeps ten connections per key. Without a key, each request has a new connection, as for all deliveries except Event deliveries.
 */
function deliver({ url, authorityFile, atOnce, bodyBytes, keepConnections }: Sender): Contender {
  process.env.VA_WAVE_LOCAL_CA_FILE = authorityFile;
  const clock = { monotonic: () => performance.now(), wall: () => Date.now() };
  const { makeAttempt } = createOutbound({ clock, networkRule: localRule });
  const request = { method: 'POST', url, headers, body: bodyOf(bodyBytes), keepBytes: 8000 } as const;
  return inLoops(atOnce, async (loop) => {
    const key = keepConnections ? { connectionKey: `action-${Math.floor(loop / 10)}` } : {};
    const { failure } = await makeAttempt({ ...request, ...key });
    if (failure !== null) throw new Error(failure.message);
  });
}

/** Runs the deployed bundle of the dispatcher: one container that processes one batch after another, as on Lambda. */
async function dispatcher({ bundle, orgId, actionIds, batch, bodyBytes }: Dispatcher): Promise<Contender> {
  const { handler }: { handler: SqsHandler } = await import(bundle);
  // Serialized once, because the cost of a delivery does not include the work of the queue.
  const { id: _, ...rest } = envelopeOf('', orgId, bodyBytes);
  const afterId = JSON.stringify(rest).slice(1);
  const message = (actionId = '') =>
    `{"version":1,"action_id":"${actionId}","attempt":1,"envelope":{"id":"${randomUUID()}",${afterId}}`;
  let next = 0;
  return async (over) => {
    let deliveries = 0;
    for (; !over(); deliveries += batch) {
      const messages = Array.from({ length: batch }, () => message(actionIds[next++ % actionIds.length]));
      const { batchItemFailures } = await handler(sqsEvent(...messages), lambdaContext());
      if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
    }
    return deliveries;
  };
}

const [, , name = '', settings = ''] = process.argv;
const contenders: Readonly<Record<string, () => Contender | Promise<Contender>>> = {
  undici: () => undici(JSON.parse(settings)),
  deliver: () => deliver(JSON.parse(settings)),
  dispatcher: () => dispatcher(JSON.parse(settings)),
};
const contender = await contenders[name]?.();

process.on('message', async (seconds: number) => {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const deliveries = (await contender?.(() => performance.now() - startedAt >= seconds * 1000)) ?? Number.NaN;
  const { user, system } = process.cpuUsage(cpu);
  const took = { seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
  process.send?.({ deliveries, ...took } satisfies Measurement);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
