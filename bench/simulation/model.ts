import { percentile } from '../statistics.ts';

/** What is simulated. Times in seconds. */
export type Setting = {
  readonly eventsPerSecond: number;
  readonly actions: number;
  /** Action 0 answers nothing for this long on every attempt; 0 = it is like the others. */
  readonly hangsFor: number;
  /** How long the other endpoints take. */
  readonly answersAfter: number;
  /**
   * With group ids (SQS fair queues): the share of what is in flight from which SQS calls a group noisy and hands out the others
   * first. AWS says "disproportionate" and gives no figure. Undefined: messages without group ids.
   */
  readonly noisyFrom?: number | undefined;
  /** Invocations of the dispatcher at once, at most. */
  readonly maxConcurrency: number;
  /** Invocations at once when it begins; Lambda then adds five a second while there is a backlog. */
  readonly startConcurrency: number;
  /** What the dispatcher computes per message: CPU time over the share of a core that it has. */
  readonly workPerMessage: number;
  readonly duration: number;
  /** Nothing that arrives earlier is counted. */
  readonly measureFrom: number;
};

export type Outcome = {
  /** Of Actions that do not hang, from the queue to the endpoint's answer. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** Busy invocations, 99th percentile over time. */
  readonly concurrency: number;
  /** Messages of Actions that do not hang which still waited at the end. */
  readonly backlog: number;
  /** When the queue was first empty of them; undefined if never. */
  readonly caughtUpAt: number | undefined;
  readonly messages: number;
  readonly invocations: number;
  /** Seconds that invocations took. */
  readonly busy: number;
};

/** Of receiving: messages that arrive within one are taken together, in batches of ten. */
const TICK = 0.02;
const BATCH = 10;
/** What the event source mapping adds to a function's concurrency while messages wait: 300 a minute. */
const SCALE_PER_SECOND = 5;
const RETRY_PAUSES = [2, 4];

type Message = { readonly arrivedAt: number; readonly hangs: boolean; readonly attempt: number };

/** First in, first out, without moving what remains. */
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

/** Ends of something, sorted into the ticks in which they fall. */
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

/** Runs the model. The same setting gives the same outcome: its randomness begins anew each time. */
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
          const pause = RETRY_PAUSES[attempt - 1];
          const due = now + work + setting.hangsFor + (pause ?? 0);
          if (pause !== undefined) delayed.add(due, { arrivedAt: due, hangs: true, attempt: attempt + 1 });
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

/** A small generator of pseudo-random numbers in [0, 1) with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
