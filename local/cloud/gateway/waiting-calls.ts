/**
 * The gateway, its engines and all functions share the processors, and a function gives a call up after two seconds and repeats it. So
 * no batch begins while this many calls wait. It is enough to keep the gateway busy: it answers a call in about a millisecond.
 */
const CALLS_MAX = 32;

/** The calls of functions that wait for an answer of the gateway. */
export class WaitingCalls {
  #count = 0;
  #few: (() => void)[] = [];

  /** Counts a call that begins. @returns a function that ends it */
  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count < CALLS_MAX) for (const few of this.#few.splice(0)) few();
    };
  }

  /** Resolves as soon as fewer calls wait than may wait when a batch begins. */
  few(): Promise<void> {
    if (this.#count < CALLS_MAX) return Promise.resolve();
    return new Promise((resolve) => this.#few.push(resolve));
  }
}
