import { INVOCATIONS_PER_POLLER } from '../../lib/concurrency.ts';
import { NOISY } from '../../local/cloud/engines/message-groups.ts';
import { COUNTED, ROUTER_MS } from '../../scripts/costs.ts';
import { EVENT_RETRY_DELAYS_SECONDS, OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { THROTTLED_PAUSE } from '../../src/functions/sqs-batch.ts';
import { percentile } from '../statistics.ts';
import { PARTITION, POLLING, PROVISIONED } from './published.ts';

/** The settings of a simulation. Times are in seconds. */
export type Setting = {
  readonly eventsPerSecond: number;
  /** The share of the events that one Action gets. The others are spread evenly over so many Actions that none of them is noisy. */
  readonly share: number;
  /** When the endpoint of that Action begins to hang. @default never */
  readonly hangsFrom?: number | undefined;
  /** How long it hangs. @default the timeout of an attempt */
  readonly hangsFor?: number;
  /** Response time of the other endpoints. */
  readonly answersAfter: number;
  /** The dispatcher's computing time per message: its CPU time divided by its share of a core. */
  readonly workPerMessage: number;
  /** Seconds that the router takes for a batch of one event and of ten. */
  readonly routing: { readonly one: number; readonly ten: number };
  /** Maximum concurrency. */
  readonly router: number;
  readonly dispatcher: number;
  /** Pollers that are ready, for each queue. @default none: Lambda adds them as the load grows */
  readonly pollers?: number | undefined;
  /** Write units per second that the delivery log accepts. */
  readonly tableWrites: number;
  /** Partition keys of the delivery log per Action. */
  readonly logKeys: number;
  /** Whether messages have group ids, so that the queues are fair. @default true */
  readonly groups?: boolean;
  readonly duration: number;
};

/** A part of the run, by the arrival of the event. */
export type Phase = {
  /** From the event to the endpoint's answer, for the other Actions. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** Concurrent invocations of the dispatcher, 99th percentile over time. */
  readonly concurrency: number;
  /** Mean duration of an invocation of the dispatcher. */
  readonly batchSeconds: number;
  /** Invocations of the dispatcher a second, and their duration: the seconds that Lambda bills each second. */
  readonly invocations: number;
  readonly busy: number;
  /** Waiting messages at the end, in both queues, without those that wait for their retry. */
  readonly backlog: Readonly<Record<Group, number>>;
  /** Attempts that DynamoDB throttled. */
  readonly throttled: number;
  /** When no message waited for the first time in the whole run. */
  readonly caughtUpAt: number | undefined;
};

const GROUPS = ['hot', 'others'] as const;
type Group = (typeof GROUPS)[number];
type Message = {
  readonly group: Group;
  readonly born: number;
  readonly queued: number;
  readonly attempt: number;
  readonly throttled: number;
};

/** CPU milliseconds per delivery of the dispatcher, above what bench/results.md measures, and the share of a core that a function of 512 MB has. */
const DISPATCHER_CPU_MS = 3;
const CORE_SHARE = 512 / 1769;

/** The times of the deployed functions, and of endpoints that answer. */
export const SERVICE_TIMES = {
  answersAfter: 0.1,
  workPerMessage: DISPATCHER_CPU_MS / 1000 / CORE_SHARE,
  routing: { one: ROUTER_MS.one / 1000, ten: ROUTER_MS.ten / 1000 },
} as const;

/** The time step. Messages that arrive within one step are received together, in batches of ten. */
const TICK = 0.02;
export const BATCH = 10;
/** AWS does not publish how long processing time is "recent". 10 s and 300 s have the same outcomes. */
const RECENT_SECONDS = 60;
const WRITES = COUNTED.attempted(1).writes;
/** At high rates this many latencies per second are kept. */
const SAMPLED_PER_SECOND = 1000;

/** A first-in, first-out queue that does not move its messages on each `shift`. */
class Fifo {
  #messages: Message[] = [];
  #first = 0;
  get length(): number {
    return this.#messages.length - this.#first;
  }
  get next(): Message | undefined {
    return this.#messages[this.#first];
  }
  push(message: Message): void {
    this.#messages.push(message);
  }
  shift(): Message | undefined {
    const message = this.#messages[this.#first];
    if (message !== undefined) this.#first += 1;
    if (this.#first > 100_000) {
      this.#messages = this.#messages.slice(this.#first);
      this.#first = 0;
    }
    return message;
  }
}

/** Runs actions in the tick in which their time falls, and at the earliest in the next one. */
class Schedule {
  readonly #at = new Map<number, (() => void)[]>();
  #now = 0;
  add(time: number, action: () => void): void {
    const tick = Math.max(this.#now + 1, Math.ceil(time / TICK));
    const actions = this.#at.get(tick);
    if (actions === undefined) this.#at.set(tick, [action]);
    else actions.push(action);
  }
  run(tick: number): void {
    this.#now = tick;
    for (const action of this.#at.get(tick) ?? []) action();
    this.#at.delete(tick);
  }
}

/** Units per second of a table or a partition. What is not used within a second is lost. */
class Throughput {
  #left: number;
  readonly #perSecond: number;
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }
  refill(): void {
    this.#left = Math.min(this.#perSecond, this.#left + this.#perSecond * TICK);
  }
  has(units: number): boolean {
    return this.#left >= units;
  }
  take(units: number): void {
    this.#left -= units;
  }
}

/** A fair queue with the pollers that invoke a function for its batches. */
class FairQueue {
  readonly waiting = { hot: new Fifo(), others: new Fifo() };
  running = 0;
  readonly #inFlight = { hot: 0, others: 0 };
  /** Processing time that SQS sees, from the receive to the delete. It decays. */
  readonly #recent = { hot: 0, others: 0 };
  readonly #schedule: Schedule;
  readonly #maximum: number;
  readonly #perSecond: number;
  readonly #callsPerInvocation: number;
  readonly #fair: boolean;
  #limit: number;
  #calls = 0;
  #noisy = false;
  #hotInFlightAt = 0;

  constructor(schedule: Schedule, maximum: number, { pollers, groups = true }: Setting) {
    this.#schedule = schedule;
    this.#fair = groups;
    this.#perSecond = (pollers === undefined ? POLLING : PROVISIONED).perSecond;
    this.#callsPerInvocation = pollers === undefined ? Number.POSITIVE_INFINITY : PROVISIONED.callsPerInvocation;
    this.#limit = pollers === undefined ? Math.min(POLLING.start, maximum) : pollers * INVOCATIONS_PER_POLLER;
    this.#maximum = Math.max(maximum, this.#limit);
  }

  push(message: Message): void {
    this.waiting[message.group].push(message);
  }

  isEmpty(): boolean {
    return this.waiting.hot.length + this.waiting.others.length === 0;
  }

  /** Receives batches while invocations are free. @param invoke returns the duration of the invocation */
  receive(now: number, invoke: (batch: readonly Message[]) => number): void {
    this.#calls = Math.min(
      this.#limit * this.#callsPerInvocation,
      this.#calls + this.#limit * this.#callsPerInvocation * TICK,
    );
    for (; this.running < this.#limit && this.#calls >= 1; this.#calls -= 1) {
      this.#judge(now);
      const batch = this.#batch();
      if (batch.length === 0) break;
      const seconds = invoke(batch);
      const hot = batch.filter(({ group }) => group === 'hot').length;
      const flight = { hot, others: batch.length - hot };
      for (const group of GROUPS) this.#inFlight[group] += flight[group];
      this.running += 1;
      this.#schedule.add(now + seconds, () => {
        this.running -= 1;
        for (const group of GROUPS) {
          this.#inFlight[group] -= flight[group];
          this.#recent[group] += flight[group] * seconds;
        }
      });
    }
    for (const group of GROUPS) this.#recent[group] *= 1 - TICK / RECENT_SECONDS;
    if (!this.isEmpty()) this.#limit = Math.min(this.#maximum, this.#limit + this.#perSecond * TICK);
  }

  #judge(now: number): void {
    const { hot, others } = this.#inFlight;
    if (hot > 0) this.#hotInFlightAt = now;
    const many = hot >= NOISY.messages && hot > NOISY.share * (hot + others);
    const long = this.#recent.hot > NOISY.share * (this.#recent.hot + this.#recent.others);
    if (this.#fair && (many || long)) this.#noisy = true;
    if (this.waiting.hot.length === 0 || now - this.#hotInFlightAt >= NOISY.quietAfterSeconds) this.#noisy = false;
  }

  /** As `nextMessages` of the local cloud does: a batch has messages of quiet groups, and only when none waits those of the noisy one. */
  #batch(): readonly Message[] {
    const { hot, others } = this.waiting;
    const batch: Message[] = [];
    const quiet = others.length > 0;
    const next = () => {
      if (this.#noisy) return quiet ? others.shift() : hot.shift();
      return older(hot.next, others.next) ? hot.shift() : others.shift();
    };
    for (let message = next(); message !== undefined; message = next()) {
      batch.push(message);
      if (batch.length === BATCH) break;
    }
    return batch;
  }
}

const older = (one: Message | undefined, other: Message | undefined): boolean =>
  (one?.queued ?? Number.POSITIVE_INFINITY) < (other?.queued ?? Number.POSITIVE_INFINITY);

/**
 * Runs the model in virtual time, and returns the phases that begin at these times. The same setting always has the same outcome, because
 * the random numbers have a fixed seed.
 */
export function simulate(setting: Setting, begins: readonly number[]): readonly Phase[] {
  const {
    eventsPerSecond,
    routing,
    share,
    hangsFrom = Number.POSITIVE_INFINITY,
    hangsFor = OUTBOUND_TIMEOUT_MS / 1000,
  } = setting;
  const random = mulberry(42);
  const schedule = new Schedule();
  const events = new FairQueue(schedule, setting.router, setting);
  const deliveries = new FairQueue(schedule, setting.dispatcher, setting);
  const table = new Throughput(setting.tableWrites);
  const logKeys = Array.from({ length: setting.logKeys }, () => new Throughput(PARTITION.writes));
  const configuration = new Throughput(PARTITION.reads);
  const every = Math.max(1, eventsPerSecond / SAMPLED_PER_SECOND);
  const phases = begins.map((begin, index) => ({
    end: begins[index + 1] ?? setting.duration,
    latencies: [] as number[],
    running: [] as number[],
    invocations: 0,
    busy: 0,
    throttled: 0,
    backlog: { hot: 0, others: 0 },
    seconds: (begins[index + 1] ?? setting.duration) - begin,
  }));
  const phaseAt = (time: number) => (time < (begins[0] ?? 0) ? undefined : phases.find(({ end }) => time < end));
  let arrival = 0;
  let sample = 0;
  /** Messages that wait because DynamoDB throttled them. */
  const postponed = { hot: 0, others: 0 };
  let caughtUpAt: number | undefined;

  const send = (message: Message, due: number) => schedule.add(due, () => deliveries.push({ ...message, queued: due }));

  for (let tick = 0; tick * TICK < setting.duration; tick++) {
    const now = tick * TICK;
    const phase = phaseAt(now);
    schedule.run(tick);
    for (const throughput of [table, configuration, ...logKeys]) throughput.refill();
    for (; arrival <= now; arrival += -Math.log(1 - random()) / eventsPerSecond) {
      events.push({
        group: random() < share ? 'hot' : 'others',
        born: arrival,
        queued: arrival,
        attempt: 1,
        throttled: 0,
      });
    }
    events.receive(now, (batch) => {
      const seconds = routing.one + ((batch.length - 1) / (BATCH - 1)) * (routing.ten - routing.one);
      for (const message of batch) send(message, now + seconds);
      return seconds;
    });
    deliveries.receive(now, (batch) => {
      const work = batch.length * setting.workPerMessage;
      let waits = 0;
      // One read of the Action serves its messages in the batch.
      const read = configuration.has(1);
      if (read && batch.some(({ group }) => group === 'hot')) configuration.take(1);
      for (const message of batch) {
        const { group, born, attempt, throttled } = message;
        const key = logKeys[Math.floor(random() * logKeys.length)];
        if (!table.has(WRITES) || (group === 'hot' && !(read && key?.has(WRITES)))) {
          const pause = Math.min(THROTTLED_PAUSE.last, THROTTLED_PAUSE.first * 2 ** throttled);
          const due = now + work + pause;
          postponed[group] += 1;
          schedule.add(due, () => {
            postponed[group] -= 1;
            deliveries.push({ ...message, queued: due, throttled: throttled + 1 });
          });
          if (phase !== undefined) phase.throttled += 1;
          continue;
        }
        table.take(WRITES);
        if (group === 'hot') key?.take(WRITES);
        if (group === 'hot' && now >= hangsFrom) {
          waits = Math.max(waits, hangsFor);
          const delay = EVENT_RETRY_DELAYS_SECONDS[attempt - 1];
          if (delay !== undefined)
            send({ ...message, attempt: attempt + 1, throttled: 0 }, now + work + hangsFor + delay);
          continue;
        }
        waits = Math.max(waits, setting.answersAfter);
        if (group === 'others') {
          sample += 1;
          if (sample >= every) {
            sample -= every;
            phaseAt(born)?.latencies.push(now - born + work + setting.answersAfter);
          }
        }
      }
      if (phase !== undefined) {
        phase.invocations += 1;
        phase.busy += work + waits;
      }
      return work + waits;
    });
    if (phase !== undefined) {
      phase.running.push(deliveries.running);
      for (const group of GROUPS) {
        phase.backlog[group] = events.waiting[group].length + deliveries.waiting[group].length + postponed[group];
      }
    }
    const waits = !events.isEmpty() || !deliveries.isEmpty() || postponed.hot + postponed.others > 0;
    if (now > 1 && !waits) caughtUpAt ??= now;
  }
  return phases.map(({ latencies, running, invocations, busy, seconds, throttled, backlog }) => ({
    p50: percentile(latencies, 0.5),
    p90: percentile(latencies, 0.9),
    p99: percentile(latencies, 0.99),
    concurrency: percentile(running, 0.99),
    batchSeconds: busy / invocations,
    invocations: invocations / seconds,
    busy: busy / seconds,
    backlog,
    throttled,
    caughtUpAt,
  }));
}

/** Returns a generator of pseudo-random numbers in [0, 1) with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
