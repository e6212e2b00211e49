type Used = { readonly dead: boolean; readonly invocations: number };
type Idle<Environment> = { readonly environment: Environment; readonly since: number };

/**
 * The environments of a function that have no invocation. The first invocations of an environment take up to ten times as long as later
 * ones, because its code is not compiled yet.
 */
export class IdleEnvironments<Environment extends Used> {
  /** Sorted by the number of invocations. */
  #idle: Idle<Environment>[] = [];

  get size(): number {
    return this.#idle.length;
  }

  /** @param nowMs milliseconds of a clock that is never set back */
  add(environment: Environment, nowMs: number): void {
    const next = this.#idle.findIndex((one) => one.environment.invocations > environment.invocations);
    this.#idle.splice(next < 0 ? this.#idle.length : next, 0, { environment, since: nowMs });
  }

  /** Removes and returns the environment with the most invocations, which is the fastest. */
  takeFastest(): Environment | undefined {
    let environment = this.#idle.pop()?.environment;
    while (environment?.dead === true) environment = this.#idle.pop()?.environment;
    return environment;
  }

  /** Adds an environment, and removes and returns the one with the fewest invocations of all. */
  exchangeForSlowest(environment: Environment, nowMs: number): Environment {
    this.#idle = this.#idle.filter((one) => !one.environment.dead);
    this.add(environment, nowMs);
    return this.#idle.shift()?.environment ?? environment;
  }

  /** Removes and returns the environments that have been idle for this time. */
  takeOlderThan(ageMs: number, nowMs: number): readonly Environment[] {
    const old = this.#idle.filter(({ since }) => nowMs - since >= ageMs);
    this.#idle = this.#idle.filter(({ since }) => nowMs - since < ageMs);
    return old.map(({ environment }) => environment);
  }

  /** In how many milliseconds the next environment is that old. Undefined without an environment. */
  nextIn(ageMs: number, nowMs: number): number | undefined {
    if (this.#idle.length === 0) return undefined;
    return Math.max(0, Math.min(...this.#idle.map(({ since }) => since)) + ageMs - nowMs);
  }
}
