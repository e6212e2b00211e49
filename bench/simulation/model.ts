import { EVENT_RETRY_DELAYS_SECONDS } from '../../src/contract/limits.ts';
import { percentile } from '../statistics.ts';

/** The settings of a simulation. Times are in seconds. */
export type Setting = {
  readonly eventsPerSecond: number;
  readonly actions: number;
  /** How long the endpoint of Action 0 hangs on each attempt. 0 means that it answers like the others. */
  readonly hangsFor: number;
  /** Response time of the other endpoints. */
  readonly answersAfter: number;
  /**
   * The share of the messages in flight from which on SQS treats a group as noisy and delivers the messages of other groups first
   * (SQS fair queues). AWS documents "disproportionate" without a figure. Undefined for messages without group ids.
   */
  readonly noisyFrom?: number | undefined;
  /** Maximum of concurrent invocations of the dispatcher. */
  readonly maxConcurrency: number;
  /** Concurrent invocations at the start. Lambda adds five per second while there is a backlog. */
  readonly startConcurrency: number;
  /** The dispatcher's computing time per message: its CPU time divided by its share of a core. */
  readonly workPerMessage: number;
  readonly duration: number;
  /** True ends the simulation when the queue first contains no message. @default false */
  readonly untilCaughtUp?: boolean;
  /** Messages that arrive earlier do not count. */
  readonly measureFrom: number;
};

export type Outcome = {
  /** From the queue to the endpoint's answer, for the Actions that do not hang. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** Concurrent invocations, 99th percentile over time. */
  readonly concurrency: number;
  /** Waiting messages of the Actions that do not hang, at the end. */
  readonly backlog: number;
  /** When the queue first contained none of these messages. Undefined if it always contained some. */
  readonly caughtUpAt: number | undefined;
  readonly messages: number;
  readonly invocations: number;
  /** Total duration of the invocations. */
  readonly busy: number;
};

/** The time step. Messages that arrive within one step are received together, in batches of ten. */
const TICK = 0.02;
const BATCH = 10;
/** Concurrent invocations that the event source mapping adds per second while messages wait (300 per minute). */
const SCALE_PER_SECOND = 5;

type Message = { readonly arrivedAt: number; readonly hangs: boolean; readonly attempt: number };

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

/** Collects items by the tick in which their time falls. */
class Schedule<T> {
  readonly #at = new Map<number, T[]>();
  add(time: number, item: T): void {
    const tick = Math.ceil(time / TICK);
    const items = this.#at.get(tick);
    if (items === undefined) this.#at.set(tick, [item]);
    else items.push(item);
  }
  take(tick: number): readonly T[] {
    const items = this.#at.get(tick) ?? [];
    this.#at.delete(tick);
    return items;
  }
}

/** Runs the model. The same setting always has the same outcome, because the random numbers have a fixed seed. */
export function simulate(setting: Setting): Outcome {
  const random = mulberry(42);
  const others = new Fifo();
  const hanging = new Fifo();
  const delayed = new Schedule<Message>();
  const ended = new Schedule<number>();
  const latencies: number[] = [];
  const running: number[] = [];
  const total = { messages: 0, invocations: 0, busy: 0 };
  let busy = 0;
  let inFlightOfOthers = 0;
  let inFlightHanging = 0;
  let limit = Math.min(setting.startConcurrency, setting.maxConcurrency);
  let nextArrival = 0;
  let caughtUpAt: number | undefined;

  const take = (): Message | undefined => {
    const noisyFrom = setting.noisyFrom ?? Number.POSITIVE_INFINITY;
    if (inFlightHanging > noisyFrom * (inFlightHanging + inFlightOfOthers)) return others.shift() ?? hanging.shift();
    const older =
      (hanging.next?.arrivedAt ?? Number.POSITIVE_INFINITY) < (others.next?.arrivedAt ?? Number.POSITIVE_INFINITY);
    return older ? hanging.shift() : (others.shift() ?? hanging.shift());
  };

  for (let tick = 0; tick * TICK < setting.duration; tick++) {
    const now = tick * TICK;
    for (; nextArrival <= now; nextArrival += -Math.log(1 - random()) / setting.eventsPerSecond) {
      const hangs = setting.hangsFor > 0 && random() < 1 / setting.actions;
      (hangs ? hanging : others).push({ arrivedAt: nextArrival, hangs, attempt: 1 });
    }
    for (const message of delayed.take(tick)) hanging.push(message);
    for (const messages of ended.take(tick)) {
      busy -= 1;
      inFlightHanging -= messages >> 8;
      inFlightOfOthers -= messages & 255;
    }
    while (busy < limit && others.length + hanging.length > 0) {
      const batch: Message[] = [];
      for (let message = take(); message !== undefined; message = take()) {
        batch.push(message);
        if (batch.length === BATCH) break;
      }
      const work = batch.length * setting.workPerMessage;
      let hangs = 0;
      for (const { arrivedAt, hangs: hung, attempt } of batch) {
        if (hung) {
          hangs += 1;
          const delay = EVENT_RETRY_DELAYS_SECONDS[attempt - 1];
          const due = now + work + setting.hangsFor + (delay ?? 0);
          if (delay !== undefined) delayed.add(due, { arrivedAt: due, hangs: true, attempt: attempt + 1 });
        } else if (arrivedAt >= setting.measureFrom) {
          latencies.push(now - arrivedAt + work + setting.answersAfter);
        }
      }
      const quiet = batch.length - hangs;
      inFlightHanging += hangs;
      inFlightOfOthers += quiet;
      const takes = work + (hangs > 0 ? setting.hangsFor : setting.answersAfter);
      ended.add(now + takes, (hangs << 8) | quiet);
      busy += 1;
      if (now >= setting.measureFrom) {
        total.messages += batch.length;
        total.invocations += 1;
        total.busy += takes;
      }
    }
    if (others.length + hanging.length > 0) limit = Math.min(setting.maxConcurrency, limit + SCALE_PER_SECOND * TICK);
    if (caughtUpAt === undefined && others.length === 0 && now > 1) caughtUpAt = now;
    if (caughtUpAt !== undefined && setting.untilCaughtUp === true) break;
    if (now >= setting.measureFrom) running.push(busy);
  }
  return {
    p50: percentile(latencies, 0.5),
    p90: percentile(latencies, 0.9),
    p99: percentile(latencies, 0.99),
    concurrency: percentile(running, 0.99),
    backlog: others.length,
    caughtUpAt,
    ...total,
  };
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
