import { goal, type Section } from '../report.ts';
import { createActions } from '../setting/bench-actions.ts';
import { startReceiver } from '../setting/bench-receiver.ts';
import { startStorage } from '../setting/bench-storage.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { type Entrant, runContenders } from './run-contenders.ts';

/** Messages in a batch of the event source mapping. */
const BATCH = 10;
/** How long endpoints take to answer where the billed time of a delivery is measured. */
const ENDPOINT_LATENCIES_MS = [10, 100, 200];

const UNDICI = '(a) undici alone, kept connections, 50 at once';
/** deliver() does not reuse a connection for 10 ms, so ten loops would measure these pauses. */
const DELIVER = '(b) deliver(), kept connections, 50 at once';
const UNDICI_NEW = 'undici alone, a new connection each, 10 at once';
const DELIVER_NEW = '(c) deliver(), a new connection each, 10 at once';

/** Measures deliveries per second, the CPU time of a delivery, and the time of it that Lambda bills. */
export async function delivery(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder);
  const storage = await startStorage(folder);
  try {
    const { authorityFile, urls } = receiver;
    const [url] = urls;
    const bundle = bundleOf(await bundledFunctions(folder, false), 'dispatcher');
    const environment = { ...storage.environment, VA_WAVE_LOCAL_CA_FILE: authorityFile };
    const tenActions = (path: string) => {
      const endpoints = Array.from({ length: 10 }, () => new URL(path, url).href);
      return createActions(endpoints, storage.management);
    };
    const sender = (name: string, contender: string, settings: object): Entrant => ({
      name,
      contender,
      settings: { url, authorityFile, ...settings },
    });
    const dispatcher = (name: string, settings: object): Entrant => ({
      name,
      contender: 'dispatcher',
      settings: { bundle, batch: BATCH, ...settings },
      environment,
    });
    const [open, closing] = [await tenActions('/hook'), await tenActions('/closing')];
    const bySize = [];
    for (const bodyBytes of [1000, 64_000]) {
      const kept = { bodyBytes, atOnce: 50, keepConnections: true };
      const opened = { bodyBytes, atOnce: 10, keepConnections: false };
      const standings = await runContenders(
        [
          sender(UNDICI, 'undici', kept),
          sender(DELIVER, 'deliver', kept),
          sender(UNDICI_NEW, 'undici', opened),
          sender(DELIVER_NEW, 'deliver', opened),
          dispatcher('(d) dispatcher, batches of 10, to ten Actions', { bodyBytes, ...open }),
          dispatcher('(d) the same, to one Action', { bodyBytes, ...open, actionIds: open.actionIds.slice(0, 1) }),
          dispatcher('(d) the same, a new connection each', { bodyBytes, ...closing }),
        ],
        { rounds: 5, seconds: 2 },
      );
      const rate = (name: string) => standings.find((one) => one.name === name)?.perSecond ?? Number.NaN;
      bySize.push({ size: `${bodyBytes / 1000} kB`, standings, rate });
    }
    const billed: (readonly (string | number)[])[] = [];
    for (const latencyMs of ENDPOINT_LATENCIES_MS) {
      const settings = { bodyBytes: 1000, ...(await tenActions(`/after/${latencyMs}`)) };
      const entrants = [BATCH, 1].map((batch) => dispatcher(`batches of ${batch}`, { ...settings, batch }));
      const standings = await runContenders(entrants, { rounds: 3, seconds: 2 });
      billed.push([`${latencyMs} ms`, ...standings.map(({ perSecond }) => 1000 / perSecond)]);
    }
    return {
      title: 'Delivery',
      method: `Each contender runs in its own process and sends over loopback to a TLS receiver in another process. The contenders take turns;
figures are medians of five rounds of two seconds. CPU time is that of the contender's process. It does not include the receiver or DynamoDB
(dynoxide). (d) is the deployed bundle, which processes one batch of ten after another, like one container. In "a new connection each", the
receiver closes the connection after every answer, and TLS sessions are resumed. (b) does not reuse a connection in the 10 ms after an
answer, because a server that closes connections without announcing it does so in that time. This pause limits (b) to 5 000 deliveries per
second.

Lambda bills the duration of an invocation, including the time that it waits, and not its CPU time. The last table is the duration of an
invocation, divided by its deliveries. A function of 512 MB has less than a core; a core of this machine is faster.`,
      tables: [
        ...bySize.map(({ size, standings, rate }) => ({
          columns: [`${size} bodies`, 'deliveries/s', 'ratio to undici alone', 'CPU ms/delivery'],
          rows: standings.map(({ name, perSecond, cpuMsPerDelivery }) => [
            name,
            perSecond,
            perSecond / rate(UNDICI),
            cpuMsPerDelivery,
          ]),
        })),
        {
          columns: ['Billed ms per delivery of 1 kB, by the latency of the endpoint', 'batches of 10', 'one at a time'],
          rows: billed,
        },
      ],
      goals: bySize.flatMap(({ size, rate }) => [
        goal(`${size}: ratio of (b) to (a)`, rate(DELIVER) / rate(UNDICI), { min: 0.5 }),
        goal(`${size}: ratio of (c) to undici alone, a new connection each`, rate(DELIVER_NEW) / rate(UNDICI_NEW), {
          min: 0.8,
        }),
      ]),
    };
  } finally {
    receiver.stop();
    await storage.stop();
  }
}
