/** Calls that wait for an answer of this machine. Times in milliseconds. */
export class CallsUnderWay {
  readonly #all: CallsUnderWay | undefined;
  readonly #now: () => number;
  /** When each began, the oldest first. */
  readonly #begun = new Map<symbol, number>();
  #waitedMs = 0;
  #waitingSince = 0;

  /** @param all those of everybody, to which these belong as well */
  constructor(all?: CallsUnderWay, now: () => number = () => performance.now()) {
    this.#all = all;
    this.#now = now;
  }

  /** A call begins. @returns what ends it */
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

  /** For how long the oldest one has waited; 0 when there is none. */
  get oldestMs(): number {
    const [oldest] = this.#begun.values();
    return oldest === undefined ? 0 : this.#now() - oldest;
  }

  /** How long at least one was under way, since the beginning. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#begun.size === 0 ? 0 : this.#now() - this.#waitingSince);
  }
}
