import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../statistics.ts';
import { cpuOf, memoryOf, processTree } from './processes.ts';
import { microseconds, type Receiver } from './receiver.ts';
import type { Target } from './target.ts';

export type Row = readonly [name: string, value: string];

export type Bench = {
  readonly target: Target;
  readonly receiver: Receiver;
  readonly endpoints: number;
  /** Events of the burst; as many take a minute at 50 a second. */
  readonly events: number;
};

const PER_SECOND = 50;
/** Requests side by side in a burst. */
const SENDERS = 64;
const PAYLOAD_BYTES = 1000;
const HANG = { milliseconds: 5000, perSecond: 5, seconds: 30 };
const CRASH = { perSecond: 100, before: 5, after: 5 };
/** How long after the last event an arrival is waited for. */
const PATIENCE_S = 180;

let marks = 0;
/** What became of each event that was sent since `begin`. */
class Sent {
  /** When sending began, microseconds, by mark. */
  readonly at = new Map<number, number>();
  readonly accepted = new Set<number>();
  readonly endpoint = new Map<number, number>();

  async send(target: Target, endpoint: number): Promise<void> {
    const mark = marks++;
    this.at.set(mark, microseconds());
    this.endpoint.set(mark, endpoint);
    const start = JSON.stringify({ mark, text: '' });
    await target.send(endpoint, { mark, text: 'x'.repeat(PAYLOAD_BYTES - start.length) });
    this.accepted.add(mark);
  }

  /** Milliseconds from sending to the first arrival; what never arrived counts as for ever. */
  latencies({ arrivals }: Receiver, of: (mark: number) => boolean = () => true): number[] {
    const first = new Map<number, number>();
    for (const { mark, at } of arrivals) if (!first.has(mark)) first.set(mark, at);
    return [...this.at]
      .filter(([mark]) => of(mark))
      .map(([mark, at]) => ((first.get(mark) ?? Number.POSITIVE_INFINITY) - at) / 1000);
  }
}

/** Events at a steady rate, to the endpoints in turn. */
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
    [`${PER_SECOND}/s: CPU ms a delivery`, round(cpuMs / events)],
    [`${PER_SECOND}/s: connections kept`, percent(1 - opened / events)],
  ];
}

/** As many events as the system accepts. */
export async function burst(bench: Bench): Promise<Row[]> {
  const { target, receiver, endpoints, events } = bench;
  const use = watch(bench);
  const connections = receiver.connections();
  const sent = new Sent();
  const begin = microseconds();
  let next = 0;
  const sender = async () => {
    while (next < events) await sent.send(target, next++ % endpoints);
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const acceptedIn = (microseconds() - begin) / 1e6;
  await allArrived(sent, receiver);
  const last = receiver.arrivals.reduce((latest, { at }) => Math.max(latest, at), begin);
  const { cpuMs, memoryMb } = use.stop();
  const opened = receiver.connections() - connections;
  return [
    ['burst: accepted / delivered per s', `${round(events / acceptedIn)} / ${round(events / ((last - begin) / 1e6))}`],
    ['burst: CPU ms a delivery', round(cpuMs / events)],
    ['burst: most memory MB', round(memoryMb)],
    ['burst: connections kept', percent(1 - opened / events)],
  ];
}

/** What the others notice while one endpoint hangs. */
export async function hang(bench: Bench): Promise<Row[]> {
  const { receiver } = bench;
  const others = async (): Promise<{ readonly p99: number; readonly arrived: number; readonly of: number }> => {
    const sent = new Sent();
    const hanging = new Sent();
    await Promise.all([
      sendSteadily(sent, bench, PER_SECOND, HANG.seconds, 1),
      sendSteadily(hanging, { ...bench, endpoints: 1 }, HANG.perSecond, HANG.seconds),
    ]);
    // Who has waited this long does not come in time for anybody.
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
    ['p99 ms of the others while one of ten hangs', `${round(without.p99)} → ${round(during.p99)}`],
    ['arrived meanwhile', `${during.arrived} of ${during.of}`],
    ['most memory MB meanwhile', round(memoryMb)],
  ];
}

/** SIGKILL under load, and a new start at once. */
export async function crash(bench: Bench): Promise<Row[]> {
  const { target, receiver, endpoints } = bench;
  if (target.crash === undefined) return [['kill -9 under load', 'not started by this script']];
  const sent = new Sent();
  const refused = { now: 0 };
  const send = async (seconds: number) => {
    const sending: Promise<void>[] = [];
    for (let event = 0; event < CRASH.perSecond * seconds; event++) {
      const sendOne = sent.send(target, event % endpoints).catch(() => {
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
  await target.crash();
  const backAt = microseconds();
  await load;
  const end = Date.now() + PATIENCE_S * 1000;
  const missing = () => [...sent.accepted].filter((mark) => !receiver.arrivals.some((one) => one.mark === mark));
  while (missing().length > 0 && Date.now() < end) await pause(200);
  // A second copy comes later than the first.
  await pause(30_000);
  const times = new Map<number, number[]>();
  for (const { mark, at } of receiver.arrivals) times.set(mark, [...(times.get(mark) ?? []), at]);
  const interrupted = [...sent.accepted].filter((mark) => (sent.at.get(mark) ?? 0) < killedAt);
  const lastFirst = Math.max(0, ...interrupted.map((mark) => Math.min(...(times.get(mark) ?? [0]))));
  const doubles = [...times].filter(([mark, all]) => sent.accepted.has(mark) && all.length > 1);
  const lastDouble = Math.max(0, ...doubles.map(([, all]) => Math.max(...all)));
  return [
    ['kill -9 under load: lost / double', `${missing().length} / ${doubles.length}`],
    ['kill -9: answers again after s', round((backAt - killedAt) / 1e6)],
    ['kill -9: last one that was not sent yet, s after', round(Math.max(0, lastFirst - killedAt) / 1e6)],
    ['kill -9: last one that was cut off, s after', round(Math.max(0, lastDouble - killedAt) / 1e6)],
  ];
}

async function sendSteadily(
  sent: Sent,
  { target, endpoints }: Bench,
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
    // An event that is refused is seen as one that did not arrive.
    sending.push(sent.send(target, endpoint).catch(() => {}));
  }
  await Promise.all(sending);
}

async function allArrived(sent: Sent, receiver: Receiver): Promise<void> {
  const end = Date.now() + PATIENCE_S * 1000;
  while (!everyArrived(sent, receiver)) {
    if (Date.now() > end) throw new Error(`Not everything arrived within ${PATIENCE_S} s`);
    await pause(50);
  }
}

function everyArrived(sent: Sent, { arrivals }: Receiver): boolean {
  const arrived = new Set(arrivals.map(({ mark }) => mark));
  return [...sent.at.keys()].every((mark) => arrived.has(mark));
}

/** What the target uses from now on. */
function watch({ target }: Bench): { stop(): { readonly cpuMs: number; readonly memoryMb: number } } {
  const tree = () => processTree(target.processes());
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
