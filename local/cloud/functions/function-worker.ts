import { Worker } from 'node:worker_threads';
import type { CallsUnderWay } from '../access/calls-under-way.ts';
import { NOTHING_ELSE, type Waiting } from './growth.ts';
import type { FunctionError, Invocation, WorkerReply, WorkerStart } from './messages.ts';

/** How an invocation ended, in Lambda's words. */
export type InvocationResult = {
  readonly failed: boolean;
  /** JSON text: what the function returned, or the error. */
  readonly payload: string;
};

type FunctionWorkerOptions = {
  readonly start: WorkerStart;
  readonly environment: Readonly<Record<string, string>>;
  /** Its calls to the gateway. */
  readonly calls: CallsUnderWay;
  readonly memoryMb: number;
  readonly functionArn: string;
  readonly timeoutMs: number;
  readonly onOutput: (text: string) => void;
  readonly onEnd: () => void;
};

/** The part of the heap for new objects. By default V8 lets it grow to 48 MB in each environment, although few objects outlive an invocation. */
const YOUNG_GENERATION_MB = 12;
/** In a shorter time the shares below say nothing. */
const LOOK_MS = 20;

/** Lambda gives a function ten seconds to start before the invocation's own time begins. */
const INIT_TIMEOUT_MS = 10_000;

/** Imports worker.ts with the cache, which also keeps the source without types. Otherwise every environment loads the compiler that removes them. */
const PROGRAM = `
require('node:module').enableCompileCache(require('node:worker_threads').workerData.compiledCode);
import(${JSON.stringify(new URL('./worker.ts', import.meta.url).href)});`;

/** One execution environment: at most one invocation at a time, and none after it has died. */
export class FunctionWorker {
  readonly #options: FunctionWorkerOptions;
  readonly #worker: Worker;
  readonly #ready: Promise<FunctionError | undefined>;
  /** Settles the invocation that is running, if any. */
  #settle: ((reply: InvocationResult) => void) | undefined;
  #dead = false;
  #started = false;
  #invocations = 0;
  /** The state at the last call of `waiting`, or at the start of the invocation. */
  #looked = { at: 0, activeMs: 0, callsMs: 0, onlyMs: 0 };

  constructor(options: FunctionWorkerOptions) {
    this.#options = options;
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: options.start,
      env: { ...options.environment },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.stdout.setEncoding('utf8').on('data', options.onOutput);
    this.#worker.stderr.setEncoding('utf8').on('data', options.onOutput);
    this.#ready = new Promise((resolve) => {
      const late = setTimeout(() => {
        resolve({ errorType: 'Sandbox.Timedout', errorMessage: `Init timed out after ${INIT_TIMEOUT_MS / 1000} s` });
        void this.kill();
      }, INIT_TIMEOUT_MS);
      const started = (error: FunctionError | undefined): void => {
        clearTimeout(late);
        this.#started = true;
        resolve(error);
      };
      this.#worker.on('message', (reply: WorkerReply) => {
        if (reply.kind === 'ready') started(undefined);
        else if (reply.kind === 'failed-to-start') {
          options.onOutput(`${JSON.stringify({ level: 'ERROR', message: reply.error })}\n`);
          started(reply.error);
        } else if (reply.kind === 'result') this.#settle?.({ failed: false, payload: reply.payload });
        else this.#settle?.({ failed: true, payload: JSON.stringify(reply.error) });
      });
      this.#worker.on('error', (error) => {
        options.onOutput(`${JSON.stringify({ level: 'ERROR', message: error.stack ?? String(error) })}\n`);
        this.#die(error.name === 'Error' ? 'Runtime.UnhandledError' : error.name, error.message);
        started({ errorType: 'Runtime.ExitError', errorMessage: error.message });
      });
      this.#worker.on('exit', () => {
        options.onEnd();
        this.#die('Runtime.ExitError', 'Runtime exited without providing a reason');
        started({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited without providing a reason' });
      });
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** The number of invocations that it has begun. */
  get invocations(): number {
    return this.#invocations;
  }

  /** Resolves when the environment has started or failed to start. */
  async started(): Promise<void> {
    await this.#ready;
  }

  /** How the running invocation has waited for an endpoint since the last call: it neither computed nor waited for the gateway. */
  waiting(): Waiting {
    if (!this.#started || this.#settle === undefined) return { share: 0, onlyMs: 0 };
    const before = this.#looked;
    const now = this.#look();
    const elapsed = now.at - before.at;
    if (elapsed < LOOK_MS) return { share: 0, onlyMs: 0 };
    const engaged = now.activeMs - before.activeMs + now.callsMs - before.callsMs;
    const share = Math.max(0, elapsed - engaged) / elapsed;
    const onlyMs = share < NOTHING_ELSE ? 0 : before.onlyMs + elapsed;
    this.#looked = { ...now, onlyMs };
    return { share, onlyMs };
  }

  #look() {
    const { active } = this.#worker.performance.eventLoopUtilization();
    return { at: performance.now(), activeMs: active, callsMs: this.#options.calls.waitedMs, onlyMs: 0 };
  }

  /** Runs one event to its end, which is the function's timeout at the latest. Never throws. */
  async invoke(event: string, requestId: string): Promise<InvocationResult> {
    const failure = await this.#ready;
    if (failure !== undefined || this.#dead) {
      const error = failure ?? { errorType: 'Runtime.ExitError', errorMessage: 'The worker has ended' };
      await this.kill();
      return { failed: true, payload: JSON.stringify(error) };
    }
    this.#invocations += 1;
    const { timeoutMs, functionArn } = this.#options;
    const invocation: Invocation = { requestId, event, deadline: Date.now() + timeoutMs, functionArn };
    this.#looked = this.#look();
    const result = await new Promise<InvocationResult>((resolve) => {
      const timer = setTimeout(() => {
        const seconds = (timeoutMs / 1000).toFixed(2);
        const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`;
        this.#options.onOutput(`${JSON.stringify({ level: 'ERROR', message: errorMessage })}\n`);
        this.#settle?.({ failed: true, payload: JSON.stringify({ errorType: 'Sandbox.Timedout', errorMessage }) });
        void this.kill();
      }, timeoutMs);
      this.#settle = (settled) => {
        clearTimeout(timer);
        resolve(settled);
      };
      this.#worker.postMessage(invocation);
    });
    this.#settle = undefined;
    return result;
  }

  /** Ends the thread now. An invocation that is running fails. */
  async kill(): Promise<void> {
    this.#die('Runtime.ExitError', 'RequestId: Error: Runtime exited with error: signal: killed');
    await this.#worker.terminate();
  }

  #die(errorType: string, errorMessage: string): void {
    this.#dead = true;
    this.#settle?.({ failed: true, payload: JSON.stringify({ errorType, errorMessage }) });
  }
}
