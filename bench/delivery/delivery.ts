import { fork } from 'node:child_process';
import { once } from 'node:events';
import { goals, type Section } from '../report.ts';
import { createActions } from '../setting/bench-actions.ts';
import { startReceiver } from '../setting/bench-receiver.ts';
import { startStorage } from '../setting/bench-storage.ts';
import { assembledService } from '../setting/functions.ts';
import { median } from '../statistics.ts';
import type { ContenderSettings, Measurement } from './contender.ts';

const CONTENDER = new URL('./contender.ts', import.meta.url);
const ROUNDS = 5;
const SECONDS = 2;
const UNDICI = '(a) undici alone, kept connections, 50 at once';
/** The pipeline does not reuse a connection for 10 ms, so ten loops would measure these pauses. */
const OUTBOUND = '(b) outbound pipeline, kept connections, 50 at once';
const UNDICI_NEW = 'undici alone, a new connection each, 10 at once';
const OUTBOUND_NEW = '(c) outbound pipeline, a new connection each, 10 at once';

export async function delivery(folder: string): Promise<Section> {
  await using stops = new AsyncDisposableStack();
  const receiver = await startReceiver(folder);
  stops.defer(receiver.stop);
  const service = await assembledService(folder, { strict: false }); // Its network rule allows loopback, where the receiver is.
  const storage = await startStorage(folder, service);
  stops.defer(storage.stop);
  const { authorityFile, urls } = receiver;
  const [url] = urls;
  const keptConnections = { url, authorityFile, atOnce: 50, keepConnections: true };
  const newConnections = { url, authorityFile, atOnce: 10, keepConnections: false };
  const bundle = service.bundleOf('dispatcher');
  const toTenActions = async (path: string) => {
    const actions = await createActions(Array(10).fill(new URL(path, url).href), storage.management);
    return { contender: 'dispatcher', bundle, ...actions } as const;
  };
  const standings = await compare(
    {
      [UNDICI]: { contender: 'undici', ...keptConnections },
      [OUTBOUND]: { contender: 'outbound', ...keptConnections },
      [UNDICI_NEW]: { contender: 'undici', ...newConnections },
      [OUTBOUND_NEW]: { contender: 'outbound', ...newConnections },
      '(d) dispatcher, batches of 10, to ten Actions': await toTenActions('/hook'),
      '(d) the same, a new connection each': await toTenActions('/closing'), // Then the receiver closes the connection.
    },
    { ...storage.environment, VA_WAVE_LOCAL_CA_FILE: authorityFile },
  );
  const rate = (name: string) => standings.find((one) => one.name === name)?.perSecond ?? Number.NaN;
  return {
    title: 'Delivery',
    method: `Each contender runs in its own process and sends 1 kB over loopback to a TLS receiver in another process. The contenders take turns;
figures are medians of ${ROUNDS} rounds of ${SECONDS} seconds. CPU time is that of the contender's process. It does not include the receiver or DynamoDB
(dynoxide). (d) is the deployed bundle, which processes one batch of ten after another, like one container. In "a new connection each",
undici and (c) open a connection with a full handshake for each request; in (d), the receiver closes it after every answer, and TLS
sessions are resumed. (b) does not reuse a connection in the 10 ms after an
answer, because a server that closes connections without announcing it does so in that time. This pause limits (b) to 5 000 deliveries per
second.`,
    tables: [
      {
        columns: ['Contender', 'deliveries/s', 'ratio to undici alone', 'CPU ms/delivery'],
        rows: standings.map(({ name, perSecond, cpuMsPerDelivery }) => [
          name,
          perSecond,
          perSecond / rate(UNDICI),
          cpuMsPerDelivery,
        ]),
      },
      goals(
        ['Ratio of (b) to (a)', rate(OUTBOUND) / rate(UNDICI), { min: 0.5 }],
        ['Ratio of (c) to undici alone, a new connection each', rate(OUTBOUND_NEW) / rate(UNDICI_NEW), { min: 0.8 }],
      ),
    ],
  };
}

/**
 * Measures the contenders in turn, round after round, so that other load on the machine affects all of them. Each has its own process,
 * which waits while the others run. The first round only warms up and does not count. @throws Error when a process ends
 */
async function compare(
  contenders: Readonly<Record<string, ContenderSettings>>,
  environment: Readonly<Record<string, string>>,
) {
  const contenderProcesses = Object.entries(contenders).map(([name, settings]) => {
    // Writing the log lines is measured, and their content is discarded.
    const child = fork(CONTENDER, [JSON.stringify(settings)], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const earlyExit = once(child, 'exit').then(() => {
      throw new Error(`${name} ended unexpectedly`);
    });
    // At the end of the benchmark nobody waits for it, and Node would end on a rejection without a handler.
    earlyExit.catch(() => undefined);
    const answer = async () => (await Promise.race([once(child, 'message'), earlyExit]))[0];
    return { name, child, answer, ready: answer(), measurements: [] as Measurement[] };
  });
  try {
    for (const { ready } of contenderProcesses) await ready;
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { child, answer, measurements } of contenderProcesses) {
        const measurement = answer();
        child.send(SECONDS);
        measurements[round] = await measurement;
      }
    }
    return contenderProcesses.map(({ name, measurements: [, ...counted] }) => ({
      name,
      perSecond: median(counted.map((one) => one.deliveries / one.seconds)),
      cpuMsPerDelivery: median(counted.map((one) => one.cpuMs / one.deliveries)),
    }));
  } finally {
    for (const { child } of contenderProcesses) if (child.connected) child.disconnect();
  }
}
