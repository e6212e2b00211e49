import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import * as localRule from '../../local/network-rule.ts';
import { createOutbound } from '../../src/adapters/outbound/outbound.ts';
import { lambdaContext, sqsEvent } from '../../test/unit/lambdas/invocation.ts';
import { envelopeOf } from '../setting/bench-actions.ts';
import type { SqsHandler } from '../setting/functions.ts';

// Runs one contender in a separate process, so that its CPU time can be measured: `contender.ts <settings as JSON>`.

/** A contender that sends by itself. */
type Sender = {
  readonly contender: 'undici' | 'outbound';
  readonly url: string;
  readonly authorityFile: string;
  readonly atOnce: number;
  readonly keepConnections: boolean;
};
type Dispatcher = {
  readonly contender: 'dispatcher';
  readonly bundle: string;
  readonly orgId: string;
  readonly actionIds: readonly string[];
};
export type ContenderSettings = Sender | Dispatcher;
/** What a contender did in one round, which delivery.ts begins by sending it a number of seconds. */
export type Measurement = { readonly deliveries: number; readonly seconds: number; readonly cpuMs: number };
/** Makes deliveries in one of the concurrent loops. @returns their number @throws Error when one fails */
type Deliver = (loop: number) => Promise<number>;

/** Messages in a batch of the event source mapping. */
const BATCH = 10;
const headers = { 'Content-Type': 'application/json' };
const body = Buffer.from(JSON.stringify(envelopeOf(randomUUID(), 'org')));

/** Sends with undici alone, without signature, check and record: the upper limit. Each loop keeps its connection, or opens a new one for each request. */
function undici({ url, authorityFile, atOnce, keepConnections }: Sender): Deliver {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, {
    connections: atOnce,
    pipelining: keepConnections ? 1 : 0, // With 0, undici closes a connection after its request.
    // A new connection must not resume the TLS session of another one.
    connect: { ca: readFileSync(authorityFile, 'utf8'), maxCachedSessions: 0 },
  });
  return async () => {
    const answer = await pool.request({ path, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`Status ${answer.statusCode}`);
    return 1;
  };
}

/**
 * Runs the outbound pipeline with its guard, deadline and limits, but without records. Ten deliveries share a key, because the
 * pipeline keeps ten connections per key. Without a key, each request has a new connection, as for all deliveries except Event deliveries.
 */
function outbound({ url, authorityFile, keepConnections }: Sender): Deliver {
  process.env.VA_WAVE_LOCAL_CA_FILE = authorityFile; // localRule trusts this authority.
  const clock = { monotonicTime: () => performance.now(), wallTime: () => Date.now() };
  const { makeAttempt } = createOutbound({ clock, networkRule: localRule });
  const request = { method: 'POST', url, headers, body, withheldTexts: [] } as const;
  return async (loop) => {
    const key = keepConnections ? { connectionKey: `action-${Math.floor(loop / 10)}` } : {};
    const { success, error } = await makeAttempt(request, { keepBytes: 8000, ...key });
    if (!success) throw new Error(error?.message);
    return 1;
  };
}

/** Runs the deployed bundle of the dispatcher: one container that processes one batch after another, as on Lambda. */
async function dispatcher({ bundle, orgId, actionIds }: Dispatcher): Promise<Deliver> {
  const { handler }: { handler: SqsHandler } = await import(bundle);
  // Serialized once, because the cost of a delivery does not include the work of the queue.
  const { id: _, ...rest } = envelopeOf('', orgId);
  const afterId = JSON.stringify(rest).slice(1);
  const message = (actionId = '') =>
    `{"version":1,"action_id":"${actionId}","attempt":1,"envelope":{"id":"${randomUUID()}",${afterId}}`;
  return async () => {
    const messages = Array.from({ length: BATCH }, (_, index) => message(actionIds[index % actionIds.length]));
    const { batchItemFailures } = await handler(sqsEvent(...messages), lambdaContext());
    if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
    return BATCH;
  };
}

const settings: ContenderSettings = JSON.parse(process.argv[2] ?? '');
const atOnce = settings.contender === 'dispatcher' ? 1 : settings.atOnce;
const deliver =
  settings.contender === 'dispatcher' ? await dispatcher(settings) : { undici, outbound }[settings.contender](settings);

process.on('message', async (seconds: number) => {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let deliveries = 0;
  const loop = async (_: unknown, index: number) => {
    while (performance.now() - startedAt < seconds * 1000) {
      const deliveredCount = await deliver(index);
      deliveries += deliveredCount; // Read after the await: the loops share it.
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const { user, system } = process.cpuUsage(cpu);
  const took = { seconds: (performance.now() - startedAt) / 1000, cpuMs: (user + system) / 1000 };
  process.send?.({ deliveries, ...took } satisfies Measurement);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
