import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { NOISY } from '../../local/cloud/engines/message-groups.ts';
import { ROUTER_MS } from '../../scripts/costs.ts';
import { EVENT_RETRY_DELAYS_SECONDS, OUTBOUND_TIMEOUT_MS } from '../../src/contract/limits.ts';
import { percentile } from '../statistics.ts';

/** The settings of a simulation. Times are in seconds. */
export type Setting = {
  readonly eventsPerSecond: number;
  /** The share of the events that one Action gets. The others are spread evenly over so many Actions that none of them is noisy. */
  readonly share: number;
  /** When the endpoint of that Action begins to hang. */
  readonly hangsFrom: number;
  /** Maximum concurrency of the dispatcher. */
  readonly dispatcher: number;
  /** Whether messages have group ids, so that the queue is fair. */
  readonly groups: boolean;
  readonly duration: number;
};

export type Phase = ReturnType<typeof simulate>[number];

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html: "five concurrent invocations", then "up to 300 more concurrent invokes per minute". */
const POLLING = { start: 5, perSecond: 300 / 60 };
/** `hot`: the one Action whose endpoint comes to hang. `others`: all other Actions, as if they were one. */
const GROUPS = ['hot', 'others'] as const;
type Group = (typeof GROUPS)[number];
/** `born` is the time of its event, and `queued` the time at which this attempt's message enters the queue. */
type Message = { readonly group: Group; readonly eventAt: number; readonly queuedAt: number; readonly attempt: number };

/** CPU milliseconds per delivery of the dispatcher, more than the 2.4 of bench/results.md with kept connections, and the share of a core that a function of 512 MB has. */
const DISPATCHER_CPU_MS = 3;
const CORE_SHARE = 512 / 1769; // Lambda gives a whole core at 1 769 MB.
/** The times of the deployed functions, and of endpoints that answer. */
export const SERVICE_TIMES = { answersAfter: 0.1, workPerMessage: DISPATCHER_CPU_MS / 1000 / CORE_SHARE } as const;
/** The time step. Messages that arrive within one step are received together, in batches of ten. */
const TICK = 0.02;
export const BATCH = 10;
/** AWS does not publish how long processing time is "recent". 10 s and 300 s have the same outcomes. */
const RECENT_SECONDS = 60;
/** At high rates this many latencies per second are kept. */
const SAMPLED_PER_SECOND = 1000;

/** A first-in, first-out queue that does not move its messages on each `shift`. `queued` is the time at which its first message entered it. */
class Fifo {
  readonly #messages: Message[] = [];
  #first = 0;
  get length(): number {
    return this.#messages.length - this.#first;
  }
  get firstQueuedAt(): number {
    return this.#messages[this.#first]?.queuedAt ?? Number.POSITIVE_INFINITY;
  }
  push(message: Message): void {
    this.#messages.push(message);
  }
  shift(): Message | undefined {
    return this.length === 0 ? undefined : this.#messages[this.#first++];
  }
}

/** A fair queue with the pollers that invoke the dispatcher for its batches. */
class FairQueue {
  readonly waitingMessages = { hot: new Fifo(), others: new Fifo() };
  runningInvocations = 0;
  readonly #inFlight = { hot: 0, others: 0 };
  /** Processing time that SQS sees, from the receive to the delete. It decays. */
  readonly #recent = { hot: 0, others: 0 };
  readonly #setting: Setting;
  #limit = POLLING.start;
  #noisy = false;
  #hotInFlightAt = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Receives batches while invocations are free. @param invoke starts an invocation with a batch, and calls `ended` with its duration in seconds when it is over */
  receive(now: number, invoke: (batch: readonly Message[], ended: (seconds: number) => void) => void): void {
    for (; this.runningInvocations < this.#limit; this.runningInvocations += 1) {
      this.#judge(now);
      const batch = this.#batch();
      if (batch.length === 0) break;
      const hot = batch.filter(({ group }) => group === 'hot').length;
      const flight = { hot, others: batch.length - hot };
      for (const group of GROUPS) this.#inFlight[group] += flight[group];
      invoke(batch, (seconds) => {
        this.runningInvocations -= 1;
        for (const group of GROUPS) {
          this.#inFlight[group] -= flight[group];
          this.#recent[group] += flight[group] * seconds;
        }
      });
    }
    for (const group of GROUPS) this.#recent[group] *= 1 - TICK / RECENT_SECONDS;
    if (this.waitingMessages.hot.length + this.waitingMessages.others.length === 0) return;
    this.#limit = Math.min(this.#setting.dispatcher, this.#limit + POLLING.perSecond * TICK);
  }

  /** Decides whether the group `hot` is noisy: its messages then wait for those of others. */
  #judge(now: number): void {
    const { hot, others } = this.#inFlight;
    if (hot > 0) this.#hotInFlightAt = now;
    const many = hot >= NOISY.messages && hot > NOISY.share * (hot + others);
    const long = this.#recent.hot > NOISY.share * (this.#recent.hot + this.#recent.others);
    if (this.#setting.groups && (many || long)) this.#noisy = true;
    if (this.waitingMessages.hot.length === 0 || now - this.#hotInFlightAt >= NOISY.quietAfterSeconds)
      this.#noisy = false;
  }

  /** As `nextMessages` of the local cloud does: a batch has messages of quiet groups, and only when none waits those of the noisy one. */
  #batch(): readonly Message[] {
    const { hot, others } = this.waitingMessages;
    const quiet = others.length > 0;
    const batch: Message[] = [];
    while (batch.length < BATCH) {
      const source = this.#noisy ? (quiet ? others : hot) : hot.firstQueuedAt < others.firstQueuedAt ? hot : others;
      const message = source.shift();
      if (message === undefined) break;
      batch.push(message);
    }
    return batch;
  }
}

/** Returns the phases that begin at these times. A setting has one outcome: its random numbers have a fixed seed. */
export function simulate(setting: Setting, begins: readonly number[]) {
  const { eventsPerSecond, share, hangsFrom, duration } = setting;
  const generator = xoroshiro128plus(42);
  const random = () => (generator.next() >>> 0) / 2 ** 32;
  const queue = new FairQueue(setting);
  const schedule = new Map<number, (() => void)[]>();
  const every = Math.max(1, eventsPerSecond / SAMPLED_PER_SECOND); // Of so many latencies, one is kept.
  const phases = begins.map((_, index) => {
    const end = begins[index + 1] ?? duration;
    const latencies: number[] = [];
    const concurrencies: number[] = [];
    return { latencies, concurrencies, end, backlog: { hot: 0, others: 0 } };
  });
  const phaseAt = (time: number) => (time < (begins[0] ?? 0) ? undefined : phases.find(({ end }) => time < end));
  let arrival = 0;
  let sample = 0;

  for (let tick = 0; tick * TICK < duration; tick++) {
    const now = tick * TICK;
    const phase = phaseAt(now);
    /** Runs an action in the tick in which its time falls, and at the earliest in the next one. */
    const at = (time: number, action: () => void) => {
      const due = Math.max(tick + 1, Math.ceil(time / TICK));
      const actions = schedule.get(due);
      if (actions === undefined) schedule.set(due, [action]);
      else actions.push(action);
    };
    const send = (message: Omit<Message, 'queuedAt'>, queuedAt: number) =>
      at(queuedAt, () => queue.waitingMessages[message.group].push({ ...message, queuedAt }));
    for (const action of schedule.get(tick) ?? []) action();
    schedule.delete(tick);
    // The times between events are exponentially distributed, as those of independent senders.
    for (; arrival <= now; arrival += -Math.log(1 - random()) / eventsPerSecond) {
      send(
        { group: random() < share ? 'hot' : 'others', eventAt: arrival, attempt: 1 },
        arrival + ROUTER_MS.ten / 1000,
      );
    }
    queue.receive(now, (batch, endInvocation) => {
      const work = batch.length * SERVICE_TIMES.workPerMessage;
      const hangs = now >= hangsFrom && batch.some(({ group }) => group === 'hot');
      const seconds = work + (hangs ? OUTBOUND_TIMEOUT_MS / 1000 : SERVICE_TIMES.answersAfter); // The slowest attempt's.
      for (const { group, eventAt, attempt } of batch) {
        const delay = EVENT_RETRY_DELAYS_SECONDS[attempt - 1];
        if (group === 'hot' && hangs && delay !== undefined) {
          send({ group, eventAt, attempt: attempt + 1 }, now + seconds + delay);
        }
        sample += group === 'others' ? 1 : 0;
        if (sample < every) continue;
        sample -= every;
        phaseAt(eventAt)?.latencies.push(now - eventAt + work + SERVICE_TIMES.answersAfter);
      }
      at(now + seconds, () => endInvocation(seconds));
    });
    if (phase === undefined) continue;
    phase.concurrencies.push(queue.runningInvocations);
    for (const group of GROUPS) phase.backlog[group] = queue.waitingMessages[group].length;
  }
  return phases.map(({ latencies, concurrencies, backlog }) => ({
    /** From the event to the endpoint's answer, for the other Actions. */
    p99: percentile(latencies, 0.99),
    /** Concurrent invocations of the dispatcher, 99th percentile over time. */
    concurrency: percentile(concurrencies, 0.99),
    /** Waiting messages at the end, without those that wait for their retry. */
    backlog,
  }));
}
