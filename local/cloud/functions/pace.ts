import type { CallsUnderWay } from '../access/calls-under-way.ts';

/**
 * A call of a function that has waited this long for this machine: functions give up after two seconds, and their message then waits for
 * the visibility timeout.
 */
const SLOW_MS = 500;

/**
 * How much work is begun: less, down to one message at a time, while this machine answers late, and more again when it does not. A machine
 * that has too much to do then becomes slower, and does not repeat its work.
 */
export class Pace {
  readonly #calls: Pick<CallsUnderWay, 'oldestMs'>;
  readonly #largest: number;
  #most: number;
  #slow = false;

  /**
   * @param calls what functions call on this machine
   * @param largest messages of the largest batch
   */
  constructor(calls: Pick<CallsUnderWay, 'oldestMs'>, largest = 10) {
    this.#calls = calls;
    this.#largest = largest;
    this.#most = largest;
  }

  /** How many messages may be begun now; none while a call waits long. */
  admit(): number {
    const slow = this.#calls.oldestMs > SLOW_MS;
    if (slow && !this.#slow) this.#most = Math.max(1, Math.floor(this.#most / 2));
    this.#slow = slow;
    return slow ? 0 : this.#most;
  }

  /** A batch has ended. */
  ended(): void {
    if (!this.#slow) this.#most = Math.min(this.#largest, this.#most + 1);
  }
}
