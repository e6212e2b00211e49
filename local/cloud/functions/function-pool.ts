import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { CallsUnderWay } from '../access/calls-under-way.ts';
import type { FunctionDefinition } from '../template/model.ts';
import { FunctionWorker, type InvocationResult } from './function-worker.ts';
import { isStuck, mayAdd, needsAnother } from './growth.ts';
import { IdleEnvironments } from './idle-environments.ts';
import { type IdleProcessors, idleProcessors } from './idle-processors.ts';
import { RecentDurations } from './recent-durations.ts';

type FunctionPoolOptions = {
  readonly definition: FunctionDefinition;
  /** Creates the environment variables of a new environment, with a separate access key. */
  readonly issue: () => EnvironmentKey;
  /** The maximum number of concurrent invocations; AWS allows a thousand. Further invocations wait for a worker. */
  readonly maxWorkers: number;
  /** Folder where V8 keeps compiled code for the next worker. */
  readonly compiledCode: string;
  readonly onOutput: (text: string) => void;
  /** Measures the processors. @default those of this machine */
  readonly idleProcessors?: () => IdleProcessors;
  /** Called with one line when an asynchronous invocation has failed for the last time. */
  readonly onLost: (message: string) => void;
};

/** The settings of one execution environment. */
export type EnvironmentKey = {
  readonly environment: Readonly<Record<string, string>>;
  /** The calls with its access key. */
  readonly calls: CallsUnderWay;
  /** Makes the access key invalid. */
  readonly revoke: () => void;
};

/** An execution environment that its holder uses exclusively until it is released or has run an invocation. */
export type Environment = FunctionWorker;

/** For a caller that waits for an answer, as many environments start at once. Further ones, and those for queues, start when they are needed. */
const STARTED_FOR_CALLERS = 2;
/** How often the pool checks whether it needs another environment, while invocations run. */
const LOOK_MS = 30;
/** If a check runs this late, the process lacks processor time, and another environment would only take more of it. */
const LATE_MS = 50;
/** A worker ends when it has been idle for this time. */
const IDLE_MS = 60_000;
/** While the processors are mostly idle, the spare environment gets every tenth invocation, until it has had three and its code is compiled. */
const WARM_UP = { every: 10, invocations: 3, idleProcessors: 0.5 } as const;
/** Lambda retries a failed asynchronous invocation twice, after one and two minutes. */
const ASYNC_RETRY_MS = [60_000, 120_000] as const;

/** The execution environments of one function. They start when an invocation waits, and end when they are idle. */
export class FunctionPool {
  readonly definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #idle = new IdleEnvironments<FunctionWorker>();
  readonly #busy = new Set<FunctionWorker>();
  /** The busy environments that wait for an endpoint that hangs. */
  #stuck: Set<FunctionWorker> = new Set();
  readonly #starting = new Set<FunctionWorker>();
  /** Started in advance for a function that a queue invokes. When another environment is needed, no message waits for its start. */
  #spare: FunctionWorker | undefined;
  #servesQueue = false;
  readonly #idleProcessors: () => IdleProcessors;
  readonly #durations = new RecentDurations();
  readonly #waiting: ((worker: FunctionWorker | undefined) => void)[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  #lookTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** When the last environment was added to those that were there. */
  #addedAt = Number.NEGATIVE_INFINITY;
  /** At the last check: an environment may be added that can wait. */
  #mayAdd = false;
  #mayWarmUp = false;
  #acquired = 0;
  #stopped = false;

  constructor(options: FunctionPoolOptions) {
    this.definition = options.definition;
    this.#options = options;
    this.#idleProcessors = options.idleProcessors ?? idleProcessors();
  }

  /** The maximum number of concurrent invocations. */
  get concurrency(): number {
    return this.#options.maxWorkers;
  }

  /**
   * Runs the function and waits for its answer. Never throws: a failure is a result.
   * @param event JSON text
   */
  async invoke(event: string): Promise<InvocationResult> {
    const worker = await this.#acquire(STARTED_FOR_CALLERS);
    if (worker !== undefined) return this.run(worker, event);
    const payload = JSON.stringify({ errorType: 'ServiceException', errorMessage: 'The machine stops' });
    return { failed: true, payload };
  }

  /** Resolves with an environment for one invocation as soon as one is free, or with undefined when the cloud stops. */
  acquire(): Promise<Environment | undefined> {
    this.#servesQueue = true;
    this.#acquired += 1;
    const spare = this.#acquired % WARM_UP.every === 0 ? this.#spareToWarmUp() : undefined;
    if (spare === undefined) return this.#acquire(1);
    this.#busy.add(spare);
    return Promise.resolve(spare);
  }

  /** Whether an acquired environment waits for an endpoint that hangs. */
  isStuck(environment: Environment): boolean {
    return this.#stuck.has(environment);
  }

  /** Whether another environment is free. Otherwise adds one, at most one a second, and is true when there can be no more. */
  anotherIsFree(): boolean {
    if (this.#idle.size > 0 || this.#busy.size >= this.concurrency) return true;
    if (this.#mayAdd) this.#add();
    return this.#idle.size > 0;
  }

  /** Exchanges an acquired environment for the slowest one that is idle, so that the fast one is free for other messages. */
  exchangeForSlowest(environment: Environment): Environment {
    // The spare environment must not be among the idle ones.
    if (environment === this.#spare) return environment;
    this.#busy.delete(environment);
    const slowest = this.#idle.exchangeForSlowest(environment, performance.now());
    this.#busy.add(slowest);
    return slowest;
  }

  /** Runs the function like `invoke`, in an acquired environment, which is released at the end. */
  async run(environment: Environment, event: string): Promise<InvocationResult> {
    const begunAt = performance.now();
    try {
      return await environment.invoke(event, randomUUID());
    } finally {
      this.#durations.add(performance.now() - begunAt);
      this.release(environment);
    }
  }

  /** Releases an environment. */
  release(worker: Environment): void {
    this.#busy.delete(worker);
    this.#stuck.delete(worker);
    if (worker === this.#spare) {
      if (worker.dead) this.#spare = undefined;
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      const successor = worker.dead ? this.#start() : worker;
      this.#busy.add(successor);
      next(successor);
    } else if (!worker.dead && !this.#stopped) {
      this.#idle.add(worker, performance.now());
      this.#idleTimer ??= setTimeout(() => this.#shrink(), IDLE_MS);
    }
  }

  /** Runs the function asynchronously, with two retries after failures. Retries that are left when the local cloud stops are lost. */
  invokeLater(event: string, attempt = 0): void {
    void this.invoke(event).then(({ failed }) => {
      if (!failed || this.#stopped) return;
      const pause = ASYNC_RETRY_MS[attempt];
      if (pause === undefined) {
        this.#options.onLost(`${this.definition.logicalId}: an asynchronous invocation failed three times and is lost`);
        return;
      }
      const timer = setTimeout(() => {
        this.#retries.delete(timer);
        this.invokeLater(event, attempt + 1);
      }, pause);
      this.#retries.add(timer);
    });
  }

  /** Ends every worker immediately, also during an invocation, as a crash does. New workers start on demand. */
  async kill(): Promise<void> {
    const idle = this.#idle.takeOlderThan(0, performance.now());
    const spare = this.#spare === undefined ? [] : [this.#spare];
    this.#spare = undefined;
    await Promise.all([...idle, ...spare, ...this.#starting, ...this.#busy].map((worker) => worker.kill()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#idleTimer);
    for (const timer of this.#retries) clearTimeout(timer);
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    await this.kill();
  }

  /** @param atOnce as long as there are fewer environments, starts another one and does not wait */
  async #acquire(atOnce: number): Promise<Environment | undefined> {
    if (this.#stopped) return undefined;
    let worker = this.#idle.takeFastest();
    const count = this.#busy.size + this.#starting.size;
    if (worker === undefined && count < Math.min(atOnce, this.concurrency)) worker = this.#start();
    this.#lookSoon();
    if (worker === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#busy.add(worker);
    return worker;
  }

  #lookSoon(): void {
    const due = performance.now() + LOOK_MS;
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      if (performance.now() < due + LATE_MS) this.#grow();
      if (this.#busy.size > 0) this.#lookSoon();
    }, LOOK_MS);
  }

  #grow(): void {
    const machine = {
      most: this.concurrency,
      processors: availableParallelism(),
      idle: this.#idleProcessors(),
      usualMs: this.#durations.median,
    };
    const busy = [...this.#busy].map((worker) => {
      const waiting = worker.waiting();
      return { worker, share: waiting.share, stuck: isStuck(waiting, this.#stuck.has(worker), machine) };
    });
    this.#stuck = new Set(busy.filter(({ stuck }) => stuck).map(({ worker }) => worker));
    const environments = { busy, idle: this.#idle.size, starting: this.#starting.size };
    this.#mayWarmUp = machine.idle.recently >= WARM_UP.idleProcessors;
    this.#mayAdd = mayAdd(environments, performance.now() - this.#addedAt, machine);
    if (needsAnother(environments, machine)) this.#add();
    else if (this.#mayAdd && this.#servesQueue && this.#spare === undefined) {
      this.#begin((worker) => {
        this.#spare = worker.dead ? undefined : worker;
      });
    }
  }

  #add(): void {
    this.#addedAt = performance.now();
    this.#mayAdd = false;
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) this.#begin((worker) => this.release(worker));
    else if (!this.#busy.has(spare)) this.release(spare);
  }

  /** The spare environment, when an invocation in it delays no other. */
  #spareToWarmUp(): FunctionWorker | undefined {
    const spare = this.#spare;
    if (spare === undefined || this.#busy.has(spare) || spare.invocations >= WARM_UP.invocations) return undefined;
    return this.#mayWarmUp && this.#stuck.size === 0 && this.#idle.size > 0 ? spare : undefined;
  }

  #begin(then: (worker: FunctionWorker) => void): void {
    const worker = this.#start();
    this.#starting.add(worker);
    void worker.started().then(() => {
      this.#starting.delete(worker);
      then(worker);
    });
  }

  #start(): FunctionWorker {
    const { definition, issue, compiledCode, onOutput } = this.#options;
    const { environment, calls, revoke } = issue();
    return new FunctionWorker({
      start: { codeFolder: definition.codeFolder, handler: definition.properties.Handler, compiledCode },
      environment,
      calls,
      memoryMb: definition.properties.MemorySize,
      functionArn: definition.arn,
      timeoutMs: definition.properties.Timeout * 1000,
      onOutput,
      onEnd: revoke,
    });
  }

  #shrink(): void {
    for (const worker of this.#idle.takeOlderThan(IDLE_MS, performance.now())) void worker.kill();
    if (this.#idle.size === 0 && this.#busy.size === 0) {
      void this.#spare?.kill();
      this.#spare = undefined;
    }
    const next = this.#idle.nextIn(IDLE_MS, performance.now());
    this.#idleTimer = next === undefined ? undefined : setTimeout(() => this.#shrink(), next);
  }
}
