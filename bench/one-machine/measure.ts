import { setTimeout as pause } from 'node:timers/promises';
import { OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { type BenchReceiver, microseconds } from '../setting/bench-receiver.ts';
import { Load } from '../setting/load.ts';
import type { Service } from '../setting/service.ts';
import { percentile } from '../statistics.ts';
import { cpuOf, memoryOf, processTree } from './processes.ts';

/** A figure with its unit in the name. */
export type MeasuredRow = readonly [name: string, value: string];

export type Bench = {
  readonly service: Service;
  readonly receiver: BenchReceiver;
  /** The indexes of the endpoints. */
  readonly endpoints: readonly number[];
  /** Events of the burst, and of the steady load at 50 per second. */
  readonly events: number;
};

const PER_SECOND = 50;
/** Concurrent requests in a burst. */
const SENDERS = 64;
/** How long the endpoint takes for each request, which is the timeout of an attempt, and its events. */
const HANG = { milliseconds: OUTBOUND_TIMEOUT_MS, perSecond: 5, seconds: 30 };
const CRASH = { perSecond: 100, secondsBefore: 5, secondsAfter: 5 };

export async function steady(bench: Bench): Promise<MeasuredRow[]> {
  const { service, receiver, endpoints, events } = bench;
  const meter = startMeter(bench);
  const load = new Load(service, receiver);
  await load.sendSteadily(endpoints, PER_SECOND, events / PER_SECOND);
  await allArrived(load);
  const { cpuMs, connections } = meter.stop();
  const latencies = load.latencies();
  return [
    [`${PER_SECOND}/s: p50 / p99 ms`, `${round(percentile(latencies, 0.5))} / ${round(percentile(latencies, 0.99))}`],
    [`${PER_SECOND}/s: CPU ms per delivery`, round(cpuMs / events)],
    [`${PER_SECOND}/s: reused connections`, percent(1 - connections / events)],
  ];
}

export async function burst(bench: Bench): Promise<MeasuredRow[]> {
  const { service, receiver, endpoints, events } = bench;
  const meter = startMeter(bench);
  const load = new Load(service, receiver);
  const begin = microseconds();
  let next = 0;
  const sender = async () => {
    while (next < events) await load.send(endpoints[next++ % endpoints.length] ?? 0);
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const acceptedIn = (microseconds() - begin) / 1e6;
  await allArrived(load);
  const last = receiver.arrivals.reduce((latest, { at }) => Math.max(latest, at), begin);
  const { cpuMs, memoryMb, connections } = meter.stop();
  return [
    ['burst: accepted / delivered per s', `${round(events / acceptedIn)} / ${round(events / ((last - begin) / 1e6))}`],
    ['burst: CPU ms per delivery', round(cpuMs / events)],
    ['burst: maximum memory MB', round(memoryMb)],
    ['burst: reused connections', percent(1 - connections / events)],
  ];
}

/** Measures how a hanging endpoint affects the deliveries to the other endpoints. */
export async function hang(bench: Bench): Promise<MeasuredRow[]> {
  const { service, receiver, endpoints } = bench;
  const [hangingEndpoint = 0, ...others] = endpoints;
  const latenciesOfOthers = async () => {
    const load = new Load(service, receiver);
    await Promise.all([
      load.sendSteadily(others, PER_SECOND, HANG.seconds),
      new Load(service, receiver).sendSteadily([hangingEndpoint], HANG.perSecond, HANG.seconds),
    ]);
    // An event that has waited this long counts as not delivered.
    await load.waitForArrivals(60);
    return load.latencies();
  };
  const latenciesBefore = await latenciesOfOthers();
  receiver.reset();
  receiver.hang(hangingEndpoint, HANG.milliseconds);
  const meter = startMeter(bench);
  const latenciesDuring = await latenciesOfOthers();
  const { memoryMb } = meter.stop();
  receiver.hang(hangingEndpoint, 0);
  const p99 = (latencies: readonly number[]) => round(percentile(latencies, 0.99));
  return [
    ['hang: p99 ms of the other endpoints before → during', `${p99(latenciesBefore)} → ${p99(latenciesDuring)}`],
    ['hang: arrived events', `${latenciesDuring.filter(Number.isFinite).length} of ${latenciesDuring.length}`],
    ['hang: maximum memory MB', round(memoryMb)],
  ];
}

/** Ends the service with SIGKILL under load and restarts it at once. */
export async function crash({ service, receiver, endpoints }: Bench): Promise<MeasuredRow[]> {
  const load = new Load(service, receiver);
  const steadyLoad = load.sendSteadily(endpoints, CRASH.perSecond, CRASH.secondsBefore + CRASH.secondsAfter);
  await pause(CRASH.secondsBefore * 1000);
  const killedAt = microseconds();
  await service.crash();
  const backAt = microseconds();
  await steadyLoad;
  const lostEvents = await load.waitForArrivals();
  // A duplicate arrives later than the first delivery.
  await pause(30_000);
  const arrivals = [...load.arrivals()].filter(([mark]) => load.acceptedMarks.has(mark));
  const sentBefore = arrivals.filter(([mark]) => (load.sentAt.get(mark) ?? 0) < killedAt);
  const doubles = arrivals.filter(([, all]) => all.length > 1);
  const secondsUntil = (times: readonly number[]) => round((Math.max(killedAt, ...times) - killedAt) / 1e6);
  return [
    ['kill -9 under load: lost / duplicate', `${lostEvents} / ${doubles.length}`],
    ['kill -9: s until the service answers', secondsUntil([backAt])],
    ['kill -9: s until the last first delivery', secondsUntil(sentBefore.map(([, [first = 0]]) => first))],
    ['kill -9: s until the last duplicate', secondsUntil(doubles.map(([, all]) => Math.max(...all)))],
  ];
}

async function allArrived(load: Load): Promise<void> {
  const missingMarks = await load.waitForArrivals();
  if (missingMarks > 0) throw new Error(`${missingMarks} events did not arrive`);
}

/** Measures from now on what the service uses: processor time, maximum memory, and new connections to the endpoints. */
function startMeter({ service, receiver }: Bench) {
  const tree = () => processTree(service.process());
  const before = { cpuMs: cpuOf(tree()), connections: receiver.connections() };
  let memoryMb = 0;
  const timer = setInterval(() => {
    memoryMb = Math.max(memoryMb, memoryOf(tree()));
  }, 500);
  return {
    stop: () => {
      clearInterval(timer);
      return {
        cpuMs: cpuOf(tree()) - before.cpuMs,
        memoryMb: Math.max(memoryMb, memoryOf(tree())),
        connections: receiver.connections() - before.connections,
      };
    },
  };
}

const round = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
const percent = (share: number): string => `${Math.round(Math.max(0, share) * 100)} %`;
