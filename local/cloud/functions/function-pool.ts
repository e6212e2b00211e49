import { randomUUID } from 'node:crypto';
import type { FunctionDefinition } from '../template/model.ts';
import { FunctionWorker, type InvocationResult } from './function-worker.ts';

type FunctionPoolOptions = {
  readonly definition: FunctionDefinition;
  readonly environment: Readonly<Record<string, string>>;
  /** Enough to see concurrency; AWS has a thousand. What comes on top waits for a worker. */
  readonly maxWorkers: number;
  readonly onOutput: (text: string) => void;
  /** Told in one line when an asynchronous invocation is given up. */
  readonly onLost: (message: string) => void;
};

/** A worker that has had nothing to do for this long is ended. The last one stays. */
const IDLE_MS = 60_000;
/** After a failed asynchronous invocation Lambda tries twice again, after one and two minutes. */
const ASYNC_RETRY_MS = [60_000, 120_000] as const;

/** The execution environments of one function. */
export class FunctionPool {
  readonly definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #idle: FunctionWorker[] = [];
  readonly #busy = new Set<FunctionWorker>();
  readonly #waiting: ((worker: FunctionWorker | undefined) => void)[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #idleTimer: NodeJS.Timeout;
  #stopped = false;

  constructor(options: FunctionPoolOptions) {
    this.definition = options.definition;
    this.#options = options;
    this.#idleTimer = setInterval(() => this.#shrink(), IDLE_MS);
    this.#idleTimer.unref();
  }

  /** How many invocations run side by side at most. */
  get concurrency(): number {
    return this.#options.maxWorkers;
  }

  /**
   * Runs the function and waits for its answer. Never throws: a failure is a result.
   * @param event JSON text
   */
  async invoke(event: string): Promise<InvocationResult> {
    const worker = await this.#acquire();
    if (worker === undefined) {
      return {
        failed: true,
        payload: JSON.stringify({ errorType: 'ServiceException', errorMessage: 'The machine stops' }),
      };
    }
    try {
      return await worker.invoke(event, randomUUID());
    } finally {
      this.#release(worker);
    }
  }

  /** Runs the function without anybody waiting, twice again if it fails. What is left when the machine stops is lost. */
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

  /** Ends every worker at once, also those in the middle of an invocation, as a crash would. New ones start on demand. */
  async kill(): Promise<void> {
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((worker) => worker.kill()));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#idleTimer);
    for (const timer of this.#retries) clearTimeout(timer);
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    await this.kill();
  }

  async #acquire(): Promise<FunctionWorker | undefined> {
    if (this.#stopped) return undefined;
    let worker = this.#idle.pop();
    while (worker?.dead === true) worker = this.#idle.pop();
    if (worker === undefined && this.#busy.size < this.concurrency) worker = this.#start();
    if (worker === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#busy.add(worker);
    return worker;
  }

  #release(worker: FunctionWorker): void {
    this.#busy.delete(worker);
    const next = this.#waiting.shift();
    if (next !== undefined) {
      const successor = worker.dead ? this.#start() : worker;
      this.#busy.add(successor);
      next(successor);
    } else if (!worker.dead) {
      this.#idle.push(worker);
    }
  }

  #start(): FunctionWorker {
    const { definition, environment, onOutput } = this.#options;
    return new FunctionWorker({
      start: { codeFolder: definition.codeFolder, handler: definition.properties.Handler },
      environment,
      memoryMb: definition.properties.MemorySize,
      functionArn: definition.arn,
      timeoutMs: definition.properties.Timeout * 1000,
      onOutput,
    });
  }

  #shrink(): void {
    // The last one used is at the end; the others have been idle longer.
    for (const worker of this.#idle.splice(0, this.#idle.length - 1)) void worker.kill();
  }
}
