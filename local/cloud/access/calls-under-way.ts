/** Counts the calls that wait for an answer of the gateway. Times are in milliseconds. */
export class CallsUnderWay {
  readonly #all: CallsUnderWay | undefined;
  readonly #now: () => number;
  /** The start time of each call, the oldest first. */
  readonly #begun = new Map<symbol, number>();
  #waitedMs = 0;
  #waitingSince = 0;

  /** @param all counts these calls too */
  constructor(all?: CallsUnderWay, now: () => number = () => performance.now()) {
    this.#all = all;
    this.#now = now;
  }

  /** Counts a call that begins. @returns a function that ends it */
  begin(): () => void {
    const call = Symbol();
    const now = this.#now();
    if (this.#begun.size === 0) this.#waitingSince = now;
    this.#begun.set(call, now);
    const endAmongAll = this.#all?.begin();
    return () => {
      endAmongAll?.();
      if (this.#begun.delete(call) && this.#begun.size === 0) this.#waitedMs += this.#now() - this.#waitingSince;
    };
  }

  /** How long the oldest call has waited, or 0 without a call. */
  get oldestMs(): number {
    const [oldest] = this.#begun.values();
    return oldest === undefined ? 0 : this.#now() - oldest;
  }

  /** The total time in which at least one call was waiting. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#begun.size === 0 ? 0 : this.#now() - this.#waitingSince);
  }
}
