/** Chooses a number from 0 to `options - 1`. 0 is the harmless choice: the oldest task, no fault, no delay. */
export type Choose = (options: number) => number;

/** A text for the trace, or a function that makes it when somebody reads the trace. */
export type Label = string | (() => string);
export const textOf = (label: Label): string => (typeof label === 'string' ? label : label());

type Task = { readonly due: number; readonly label: Label; readonly run: () => void };

/** Resolves when no promise is left to settle. A tick is far quicker than a turn of the event loop. */
const allSettled = () => new Promise<void>((resolve) => process.nextTick(resolve));

const global = { setTimeout, clearTimeout, setImmediate, random: Math.random };

/** Virtual time begins here. */
const START = Date.parse('2026-03-04T05:06:07.250Z');

/**
 * A world with virtual time in which `choose` decides every order and every fault, so that the same choices make the same run.
 * What takes time is a task: one runs at a time, and then all code that waits for it.
 */
export class World {
  /** Milliseconds since the beginning. */
  time = 0;
  /** Number of tasks that have run. */
  steps = 0;
  readonly choose: Choose;
  /** Text of each step, with its time; undefined when nobody reads it. */
  readonly trace: string[] | undefined;
  /** What must never happen, and happened. */
  readonly violations: string[] = [];
  #ready: Task[] = [];
  #later: Task[] = [];

  constructor(choose: Choose, trace?: string[]) {
    this.choose = choose;
    this.trace = trace;
  }

  /** True in one of `options` cases. */
  oneIn(options: number): boolean {
    return this.choose(options) === options - 1;
  }

  /** The time of day, in milliseconds, on a clock that is `skew` milliseconds ahead. */
  clock(skew = 0): Date {
    return new Date(START + this.time + skew);
  }

  /** Runs a task after `delay` milliseconds, in any order with the other tasks of that time. */
  after(delay: number, label: Label, run: () => void): Task {
    const task = { due: this.time + delay, label, run };
    if (delay <= 0) this.#ready.push(task);
    else this.#later.push(task);
    return task;
  }

  /** Removes a task that has not run. */
  cancel(task: Task | undefined): void {
    this.#ready = this.#ready.filter((one) => one !== task);
    this.#later = this.#later.filter((one) => one !== task);
  }

  /** Adds a line to the trace. */
  note(text: Label): void {
    this.trace?.push(`${(this.time / 1000).toFixed(3).padStart(9)} s  ${textOf(text)}`);
  }

  violated(text: string): void {
    this.violations.push(text);
    this.note(`VIOLATION: ${text}`);
  }

  /** Runs all tasks. @param between called before each task @throws Error when they do not end */
  async run(between: () => void = () => {}): Promise<void> {
    this.#replaceTimers();
    try {
      await this.#runAll(between);
    } finally {
      const { random, ...timers } = global;
      Object.assign(globalThis, timers);
      Object.assign(Math, { random });
    }
  }

  /** Timers of the code become tasks, and its randomness a choice. */
  #replaceTimers(): void {
    Object.assign(globalThis, {
      setTimeout: (run: () => void, delay = 0) => this.after(Math.max(delay, 1), `timer of ${delay} ms`, run),
      clearTimeout: (task: Task | undefined) => this.cancel(task),
      setImmediate: (run: () => void) => this.after(0, 'next turn', run),
    });
    Object.assign(Math, { random: () => this.choose(8) / 8 });
  }

  async #runAll(between: () => void): Promise<void> {
    const most = this.steps + 5000;
    for (;;) {
      await allSettled();
      if (this.#ready.length === 0 && !this.#advance()) return;
      if (++this.steps > most) throw new Error('The schedule does not end');
      between();
      const position = this.#ready.length < 2 ? 0 : this.choose(this.#ready.length);
      const [task] = this.#ready.splice(position, 1);
      if (task === undefined) continue;
      this.note(task.label);
      task.run();
    }
  }

  #advance(): boolean {
    if (this.#later.length === 0) return false;
    this.time = this.#later.reduce((soonest, { due }) => Math.min(soonest, due), Number.POSITIVE_INFINITY);
    this.#ready = this.#later.filter(({ due }) => due <= this.time);
    this.#later = this.#later.filter(({ due }) => due > this.time);
    return true;
  }
}
