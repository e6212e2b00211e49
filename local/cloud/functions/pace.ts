import type { CallsUnderWay } from '../access/calls-under-way.ts';

/** A call that waits longer is slow. Functions give a call up after two seconds, and its message then waits for the visibility timeout. */
const SLOW_MS = 500;

/**
 * Limits how many messages a batch has while the gateway is slow, down to one, and raises the limit again afterwards. An overloaded machine
 * then becomes slower, and does not fail and repeat its work.
 */
export class Pace {
  readonly #calls: Pick<CallsUnderWay, 'oldestMs'>;
  readonly #largest: number;
  #most: number;
  #slow = false;

  /**
   * @param calls the calls of all functions
   * @param largest messages of the largest batch
   */
  constructor(calls: Pick<CallsUnderWay, 'oldestMs'>, largest = 10) {
    this.#calls = calls;
    this.#largest = largest;
    this.#most = largest;
  }

  /** How many messages the next batch may have: 0 while a call is slow. */
  admit(): number {
    const slow = this.#calls.oldestMs > SLOW_MS;
    if (slow && !this.#slow) this.#most = Math.max(1, Math.floor(this.#most / 2));
    this.#slow = slow;
    return slow ? 0 : this.#most;
  }

  /** Raises the limit by one at the end of a batch. */
  ended(): void {
    if (!this.#slow) this.#most = Math.min(this.#largest, this.#most + 1);
  }
}
