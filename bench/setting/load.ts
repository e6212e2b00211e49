import { setTimeout as pause } from 'node:timers/promises';
import { type BenchReceiver, microseconds } from './bench-receiver.ts';
import type { Service } from './service.ts';

const PAYLOAD_BYTES = 1000;
/** The number of the next event. It counts over all loads, because several use one receiver, also at the same time. */
let nextMark = 0;

/** Events of 1 kB that a measurement sends. The receiver recognizes each by its mark. */
export class Load {
  readonly #service: Service;
  readonly #receiver: BenchReceiver;
  /** Microseconds, by mark. */
  readonly sentAt = new Map<number, number>();
  readonly acceptedMarks = new Set<number>();

  constructor(service: Service, receiver: BenchReceiver) {
    this.#service = service;
    this.#receiver = receiver;
  }

  /** @throws Error unless the service accepts the event */
  async send(endpoint: number): Promise<void> {
    const mark = nextMark++;
    this.sentAt.set(mark, microseconds());
    const withoutText = JSON.stringify({ mark, text: '' });
    await this.#service.send(endpoint, { mark, text: 'x'.repeat(PAYLOAD_BYTES - withoutText.length) });
    this.acceptedMarks.add(mark);
  }

  /** Sends to these endpoints in turn. A refused event counts in `latencies` as one that did not arrive, and not in `waitForArrivals`. */
  async sendSteadily(endpoints: readonly number[], perSecond: number, seconds: number): Promise<void> {
    const begin = Date.now();
    const sentEvents: Promise<void>[] = [];
    for (let event = 0; event < perSecond * seconds; event++) {
      const due = begin + (event * 1000) / perSecond;
      if (due > Date.now()) await pause(due - Date.now());
      sentEvents.push(this.send(endpoints[event % endpoints.length] ?? 0).catch(() => {}));
    }
    await Promise.all(sentEvents);
  }

  /** Returns the arrivals of each event in microseconds, by mark. */
  arrivals(): ReadonlyMap<number, readonly number[]> {
    const arrivals = new Map<number, number[]>([...this.sentAt.keys()].map((mark) => [mark, []]));
    for (const { mark, at } of this.#receiver.arrivals) arrivals.get(mark)?.push(at);
    return arrivals;
  }

  /** Waits until every accepted event has arrived. @returns the number of events that have not within this time */
  async waitForArrivals(seconds = 180): Promise<number> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const arrivals = this.arrivals();
      const missingMarks = [...this.acceptedMarks].filter((mark) => arrivals.get(mark)?.length === 0);
      if (missingMarks.length === 0 || Date.now() > end) return missingMarks.length;
      await pause(50);
    }
  }

  /** Returns the milliseconds from sending to the first arrival, or infinity for an event that did not arrive. */
  latencies(): readonly number[] {
    const arrivals = this.arrivals();
    return [...this.sentAt].map(([mark, at]) => ((arrivals.get(mark)?.[0] ?? Number.POSITIVE_INFINITY) - at) / 1000);
  }
}
