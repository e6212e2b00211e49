import { setTimeout as pause } from 'node:timers/promises';
import { microseconds, type BenchReceiver as Receiver } from '../setting/receiver.ts';
import { percentile } from '../statistics.ts';
import { cpuOf, memoryOf, processTree } from './processes.ts';
import type { Service } from './service.ts';

export type Row = readonly [name: string, value: string];

export type Bench = {
  readonly service: Service;
  readonly receiver: Receiver;
  readonly endpoints: number;
  /** Events of the burst, and of the steady load at 50 per second. */
  readonly events: number;
};

const PER_SECOND = 50;
/** Concurrent requests in a burst. */
const SENDERS = 64;
const PAYLOAD_BYTES = 1000;
const HANG = { milliseconds: 5000, perSecond: 5, seconds: 30 };
const CRASH = { perSecond: 100, before: 5, after: 5 };
/** How long the benchmark waits for arrivals after the last event. */
const ARRIVAL_TIMEOUT_S = 180;

let nextMark = 0;
/** The events that one measurement has sent. */
class Sent {
  /** Start times of sending in microseconds, by mark. */
  readonly at = new Map<number, number>();
  readonly accepted = new Set<number>();
  readonly endpoint = new Map<number, number>();

  async send(service: Service, endpoint: number): Promise<void> {
    const mark = nextMark++;
    this.at.set(mark, microseconds());
    this.endpoint.set(mark, endpoint);
    const start = JSON.stringify({ mark, text: '' });
    await service.send(endpoint, { mark, text: 'x'.repeat(PAYLOAD_BYTES - start.length) });
    this.accepted.add(mark);
  }

  /** Returns the milliseconds from sending to the first arrival, or infinity for an event that did not arrive. */
  latencies({ arrivals }: Receiver, of: (mark: number) => boolean = () => true): number[] {
    const first = new Map<number, number>();
    for (const { mark, at } of arrivals) if (!first.has(mark)) first.set(mark, at);
    return [...this.at]
      .filter(([mark]) => of(mark))
      .map(([mark, at]) => ((first.get(mark) ?? Number.POSITIVE_INFINITY) - at) / 1000);
  }
}

/** Sends events at a steady rate to the endpoints in turn. */
export async function steady(bench: Bench): Promise<Row[]> {
  const { receiver, events } = bench;
  const use = watch(bench);
  const connections = receiver.connections();
  const sent = new Sent();
  await sendSteadily(sent, bench, PER_SECOND, events / PER_SECOND);
  await allArrived(sent, receiver);
  const { cpuMs } = use.stop();
  const latencies = sent.latencies(receiver);
  const opened = receiver.connections() - connections;
  return [
    [`${PER_SECOND}/s: p50 / p99 ms`, `${round(percentile(latencies, 0.5))} / ${round(percentile(latencies, 0.99))}`],
    [`${PER_SECOND}/s: CPU ms per delivery`, round(cpuMs / events)],
    [`${PER_SECOND}/s: reused connections`, percent(1 - opened / events)],
  ];
}

/** Sends events as fast as the service accepts them. */
export async function burst(bench: Bench): Promise<Row[]> {
  const { service, receiver, endpoints, events } = bench;
  const use = watch(bench);
  const connections = receiver.connections();
  const sent = new Sent();
  const begin = microseconds();
  let next = 0;
  const sender = async () => {
    while (next < events) await sent.send(service, next++ % endpoints);
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const acceptedIn = (microseconds() - begin) / 1e6;
  await allArrived(sent, receiver);
  const last = receiver.arrivals.reduce((latest, { at }) => Math.max(latest, at), begin);
  const { cpuMs, memoryMb } = use.stop();
  const opened = receiver.connections() - connections;
  return [
    ['burst: accepted / delivered per s', `${round(events / acceptedIn)} / ${round(events / ((last - begin) / 1e6))}`],
    ['burst: CPU ms per delivery', round(cpuMs / events)],
    ['burst: maximum memory MB', round(memoryMb)],
    ['burst: reused connections', percent(1 - opened / events)],
  ];
}

/** Measures how a hanging endpoint affects the deliveries to the other endpoints. */
export async function hang(bench: Bench): Promise<Row[]> {
  const { receiver } = bench;
  const others = async (): Promise<{ readonly p99: number; readonly arrived: number; readonly of: number }> => {
    const sent = new Sent();
    const hanging = new Sent();
    await Promise.all([
      sendSteadily(sent, bench, PER_SECOND, HANG.seconds, 1),
      sendSteadily(hanging, { ...bench, endpoints: 1 }, HANG.perSecond, HANG.seconds),
    ]);
    // An event that has waited this long counts as not delivered.
    const end = Date.now() + 60_000;
    while (Date.now() < end && !everyArrived(sent, receiver)) await pause(100);
    const latencies = sent.latencies(receiver);
    return {
      p99: percentile(latencies, 0.99),
      arrived: latencies.filter(Number.isFinite).length,
      of: latencies.length,
    };
  };
  const without = await others();
  receiver.reset();
  receiver.hang(0, HANG.milliseconds);
  const use = watch(bench);
  const during = await others();
  const { memoryMb } = use.stop();
  receiver.hang(0, 0);
  return [
    ['hang: p99 ms of the other endpoints before → during', `${round(without.p99)} → ${round(during.p99)}`],
    ['hang: arrived events', `${during.arrived} of ${during.of}`],
    ['hang: maximum memory MB', round(memoryMb)],
  ];
}

/** Ends the service with SIGKILL under load and restarts it at once. */
export async function crash(bench: Bench): Promise<Row[]> {
  const { service, receiver, endpoints } = bench;
  const sent = new Sent();
  const refused = { now: 0 };
  const send = async (seconds: number) => {
    const sending: Promise<void>[] = [];
    for (let event = 0; event < CRASH.perSecond * seconds; event++) {
      const sendOne = sent.send(service, event % endpoints).catch(() => {
        refused.now += 1;
      });
      sending.push(sendOne);
      await pause(1000 / CRASH.perSecond);
    }
    await Promise.all(sending);
  };
  const load = send(CRASH.before + CRASH.after);
  await pause(CRASH.before * 1000);
  const killedAt = microseconds();
  await service.crash();
  const backAt = microseconds();
  await load;
  const end = Date.now() + ARRIVAL_TIMEOUT_S * 1000;
  const missing = () => [...sent.accepted].filter((mark) => !receiver.arrivals.some((one) => one.mark === mark));
  while (missing().length > 0 && Date.now() < end) await pause(200);
  // A duplicate arrives later than the first delivery.
  await pause(30_000);
  const times = new Map<number, number[]>();
  for (const { mark, at } of receiver.arrivals) times.set(mark, [...(times.get(mark) ?? []), at]);
  const interrupted = [...sent.accepted].filter((mark) => (sent.at.get(mark) ?? 0) < killedAt);
  const lastFirst = Math.max(0, ...interrupted.map((mark) => Math.min(...(times.get(mark) ?? [0]))));
  const doubles = [...times].filter(([mark, all]) => sent.accepted.has(mark) && all.length > 1);
  const lastDouble = Math.max(0, ...doubles.map(([, all]) => Math.max(...all)));
  return [
    ['kill -9 under load: lost / duplicate', `${missing().length} / ${doubles.length}`],
    ['kill -9: s until the service answers', round((backAt - killedAt) / 1e6)],
    ['kill -9: s until the last first delivery', round(Math.max(0, lastFirst - killedAt) / 1e6)],
    ['kill -9: s until the last duplicate', round(Math.max(0, lastDouble - killedAt) / 1e6)],
  ];
}

async function sendSteadily(
  sent: Sent,
  { service, endpoints }: Bench,
  perSecond: number,
  seconds: number,
  firstEndpoint = 0,
): Promise<void> {
  const begin = Date.now();
  const sending: Promise<void>[] = [];
  for (let event = 0; event < perSecond * seconds; event++) {
    const due = begin + (event * 1000) / perSecond;
    if (due > Date.now()) await pause(due - Date.now());
    const endpoint = firstEndpoint + (event % (endpoints - firstEndpoint));
    // A refused event counts as one that did not arrive.
    sending.push(sent.send(service, endpoint).catch(() => {}));
  }
  await Promise.all(sending);
}

async function allArrived(sent: Sent, receiver: Receiver): Promise<void> {
  const end = Date.now() + ARRIVAL_TIMEOUT_S * 1000;
  while (!everyArrived(sent, receiver)) {
    if (Date.now() > end) throw new Error(`Not all events arrived within ${ARRIVAL_TIMEOUT_S} s`);
    await pause(50);
  }
}

function everyArrived(sent: Sent, { arrivals }: Receiver): boolean {
  const arrived = new Set(arrivals.map(({ mark }) => mark));
  return [...sent.at.keys()].every((mark) => arrived.has(mark));
}

/** Measures the processor time and the maximum memory of the service from now on. */
function watch({ service }: Bench): { stop(): { readonly cpuMs: number; readonly memoryMb: number } } {
  const tree = () => processTree(service.processes());
  const before = cpuOf(tree());
  let memoryMb = 0;
  const timer = setInterval(() => {
    memoryMb = Math.max(memoryMb, memoryOf(tree()));
  }, 500);
  return {
    stop() {
      clearInterval(timer);
      return { cpuMs: cpuOf(tree()) - before, memoryMb: Math.max(memoryMb, memoryOf(tree())) };
    },
  };
}

const round = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
const percent = (share: number): string => `${Math.round(Math.max(0, share) * 100)} %`;
