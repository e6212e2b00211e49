import { createAction } from '../../src/domain/actions/manage-actions.ts';
import { createAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { QUEUE_WORKER, startPeers } from '../peers/redis.ts';
import { type Goal, ratioGoal, type Section, type Table } from '../report.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { startReceiver } from '../setting/receiver.ts';
import { type Storage, startStorage } from '../setting/storage.ts';
import { type Entrant, runContenders, type Standing } from './run-contenders.ts';

/** Concurrent deliveries, as many as the event source mapping puts into a batch. */
const AT_ONCE = 10;
/** Concurrent loops for the warm pipeline. It does not reuse a connection for 10 ms, so ten loops would measure these pauses. */
const MANY_AT_ONCE = 50;

/** How long endpoints take to answer where the billed time of a delivery is measured. */
const ENDPOINT_LATENCIES_MS = [10, 100, 200];

/** Measures deliveries per second, the CPU time of a delivery, and the time of it that Lambda bills. */
export async function delivery(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder);
  const storage = await startStorage(folder);
  const peers = await startPeers(folder);
  try {
    const bundle = bundleOf(await bundledFunctions(folder, false), 'dispatcher');
    const { orgId, actionIds } = await tenActions(storage, receiver.urls[0]);
    const closing = await tenActions(storage, new URL('/closing', receiver.urls[0]).href);
    const environment = { ...storage.environment, VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile };
    const tables: Table[] = [];
    const goals: Goal[] = [];
    for (const bodyBytes of [1000, 64_000]) {
      const common = { url: receiver.urls[0], authorityFile: receiver.authorityFile, bodyBytes };
      const contender = (name: string, file: string, more: object = {}): Entrant => ({
        name,
        module: new URL(`./${file}.ts`, import.meta.url),
        settings: { ...common, atOnce: AT_ONCE, ...more },
      });
      const entrants = [
        contender(NAMES.bare, 'bare-undici'),
        contender(NAMES.bareMany, 'bare-undici', { atOnce: MANY_AT_ONCE }),
        contender(NAMES.deliver, 'deliver-alone'),
        contender(NAMES.deliverMany, 'deliver-alone', { atOnce: MANY_AT_ONCE }),
        contender(NAMES.bareCold, 'bare-undici', { keepConnections: false }),
        contender(NAMES.deliverCold, 'deliver-alone', { keepConnections: false }),
        ...[
          contender(NAMES.dispatcher, 'dispatcher', { bundle, orgId, actionIds }),
          contender(NAMES.dispatcherHot, 'dispatcher', { bundle, orgId, actionIds: actionIds.slice(0, 1) }),
          contender(NAMES.dispatcherCold, 'dispatcher', { bundle, ...closing }),
        ].map((entrant) => ({
          ...entrant,
          environment,
        })),
      ];
      if ('redisPort' in peers) {
        const { redisPort } = peers;
        const queueWorker = (name: string, keepConnections: boolean): Entrant => ({
          name,
          module: QUEUE_WORKER,
          settings: { ...common, atOnce: AT_ONCE, redisPort, folder, keepConnections },
        });
        entrants.push(queueWorker(NAMES.peer, true), queueWorker(NAMES.peerCold, false));
      }
      const standings = await runContenders(entrants, { rounds: 5, seconds: 2 });
      tables.push(standingsTable(`${bodyBytes / 1000} kB`, standings));
      goals.push(...goalsOf(`${bodyBytes / 1000} kB`, standings));
    }
    const slow: Entrant[] = [];
    for (const latencyMs of ENDPOINT_LATENCIES_MS) {
      const actions = await tenActions(storage, new URL(`/after/${latencyMs}`, receiver.urls[0]).href);
      for (const atOnce of [AT_ONCE, 1]) {
        slow.push({
          name: `${atOnce} ${latencyMs}`,
          module: new URL('./dispatcher.ts', import.meta.url),
          settings: {
            url: receiver.urls[0],
            authorityFile: receiver.authorityFile,
            bodyBytes: 1000,
            bundle,
            ...actions,
            atOnce,
          },
          environment,
        });
      }
    }
    tables.push(billedTable(await runContenders(slow, { rounds: 3, seconds: 2 })));
    const missing = 'missing' in peers ? ` (e) was not measured: ${peers.missing}.` : '';
    return {
      title: 'Delivery',
      method: `Each contender runs in its own process and sends over loopback to a TLS receiver in another process. The contenders take turns;
figures are medians of five rounds of two seconds. CPU time is that of the contender's process. It does not include the receiver, DynamoDB (dynoxide) or Redis. (d) is the deployed bundle, which processes one batch of ten after another, like one
container. In "a new connection each", the receiver closes the connection after every answer, and TLS sessions are resumed. (b) does not reuse
a connection in the 10 ms after an answer, because a server that closes connections without announcing it does so in that time. This pause limits (b)
to 1 000 deliveries per second with 10 at once, and to 5 000 with 50 at once.${missing}

Lambda bills the duration of an invocation, including the time that it waits, and not its CPU time. The last table is the duration of an
invocation, divided by its deliveries, for endpoints that answer after 10, 100 and 200 ms. A function of 512 MB has less than a core; a core of this
machine is faster.`,
      tables,
      goals,
    };
  } finally {
    if ('stop' in peers) await peers.stop();
    receiver.stop();
    await storage.stop();
  }
}

const NAMES = {
  bare: '(a) undici alone, kept connections, 10 at once',
  bareMany: '(a) the same, 50 at once',
  deliver: '(b) deliver(), warm, 10 at once',
  deliverMany: '(b) the same, 50 at once',
  bareCold: 'undici alone, a new connection each, 10 at once',
  deliverCold: '(c) deliver(), a new connection each, 10 at once',
  dispatcher: '(d) dispatcher, batches of 10, to ten Actions',
  dispatcherHot: '(d) the same, to one Action',
  dispatcherCold: '(d) the same, a new connection each',
  peer: '(e) BullMQ worker, kept connections, 10 at once',
  peerCold: '(e) the same, a new connection each',
} as const;

/** Creates an organization with ten Event Actions that all send to one URL. */
export async function tenActions({ management }: Storage, url: string) {
  const { org_id: orgId } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
  const { site_id } = await createAssistant(
    orgId,
    { name: 'Bench', domain: 'a.example', hourly_rate_limit: 1000 },
    management,
  );
  const actionIds: string[] = [];
  for (let action = 0; action < AT_ONCE; action++) {
    const input = { trigger: 'Event', name: `Action ${action}`, url, events: ['message.sent'] };
    actionIds.push((await createAction(site_id, input, management)).action_id);
  }
  return { orgId, actionIds };
}

function standingsTable(size: string, standings: readonly Standing[]): Table {
  const limit = find(standings, NAMES.bare)?.perSecond ?? Number.NaN;
  return {
    columns: [`${size} bodies`, 'deliveries/s', 'ratio to undici alone', 'CPU ms/delivery'],
    rows: standings.map(({ name, perSecond, cpuMsPerDelivery }) => [
      name,
      perSecond,
      perSecond / limit,
      cpuMsPerDelivery,
    ]),
  };
}

/** One batch after another: what passes for a delivery is what an invocation lasts by its deliveries. */
function billedTable(standings: readonly Standing[]): Table {
  const billed = (atOnce: number) =>
    ENDPOINT_LATENCIES_MS.map(
      (latencyMs) => 1000 / (find(standings, `${atOnce} ${latencyMs}`)?.perSecond ?? Number.NaN),
    );
  return {
    columns: [
      'Billed milliseconds per delivery, 1 kB',
      ...ENDPOINT_LATENCIES_MS.map((latencyMs) => `endpoint: ${latencyMs} ms`),
    ],
    rows: [
      [`(d) dispatcher, batches of ${AT_ONCE}`, ...billed(AT_ONCE)],
      ['(d) the same, one message at a time', ...billed(1)],
    ],
  };
}

function goalsOf(size: string, standings: readonly Standing[]): readonly Goal[] {
  const rate = (name: string) => find(standings, name)?.perSecond ?? Number.NaN;
  const cpu = (name: string) => find(standings, name)?.cpuMsPerDelivery ?? Number.NaN;
  const goals = [
    ratioGoal(`${size}: ratio of (b) to (a), 50 at once`, rate(NAMES.deliverMany) / rate(NAMES.bareMany), { min: 0.5 }),
    ratioGoal(
      `${size}: ratio of (c) to undici alone, a new connection each`,
      rate(NAMES.deliverCold) / rate(NAMES.bareCold),
      { min: 0.8 },
    ),
  ];
  if (find(standings, NAMES.peer) === undefined) return goals;
  return [
    ...goals,
    ratioGoal(`${size}: ratio of (d) to (e)`, rate(NAMES.dispatcher) / rate(NAMES.peer), { min: 1 }),
    ratioGoal(
      `${size}: ratio of (d) to (e), a new connection each`,
      rate(NAMES.dispatcherCold) / rate(NAMES.peerCold),
      { min: 1 },
    ),
    ratioGoal(`${size}: CPU ratio of (d) to (e)`, cpu(NAMES.dispatcher) / cpu(NAMES.peer), { max: 1 }),
    ratioGoal(
      `${size}: CPU ratio of (d) to (e), a new connection each`,
      cpu(NAMES.dispatcherCold) / cpu(NAMES.peerCold),
      {
        max: 1,
      },
    ),
  ];
}

const find = (standings: readonly Standing[], name: string) => standings.find((one) => one.name === name);
