/** A hanging endpoint takes part in few of so many invocations, because they last long. */
const KEPT = 25;

/** The durations of the last invocations of a function, in milliseconds. */
export class RecentDurations {
  readonly #durations: number[] = [];

  add(milliseconds: number): void {
    this.#durations.push(milliseconds);
    if (this.#durations.length > KEPT) this.#durations.shift();
  }

  /** Half of the invocations are shorter. 0 before the first one. */
  get median(): number {
    return this.#durations.toSorted((one, other) => one - other)[Math.floor(this.#durations.length / 2)] ?? 0;
  }
}
