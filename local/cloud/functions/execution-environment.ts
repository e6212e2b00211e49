import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { AwsRequest, AwsResponse } from '../gateway.ts';

/** The data with which a worker starts. As in Lambda, all other settings are in its environment. */
export type WorkerStart = {
  readonly functionArn: string;
  /** Folder where V8 keeps compiled code, absolute. */
  readonly compiledCode: string;
};

/** A call of AWS that a function makes without a socket. The names of headers are in lower case. */
export type Call = {
  readonly id: number;
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
};

/** The answer to the call with this id. */
export type CallAnswer = {
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
};

export type Invocation = {
  readonly requestId: string;
  /** The event as JSON text. */
  readonly event: string;
  /** Unix milliseconds at which the invocation times out. */
  readonly deadline: number;
};

/** Parent to worker: an invocation, or the question whether the thread still answers, with `alive`. */
export type WorkerRequest = Invocation | 'ask';

/** Worker to parent. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alive' }
  /** The function has begun: its first calls are on their way. */
  | { readonly kind: 'begun'; readonly requestId: string }
  | { readonly kind: 'ended'; readonly requestId: string; readonly result: InvocationResult };

/** How an invocation ended, in Lambda's words. */
export type InvocationResult = {
  readonly failed: boolean;
  /** JSON text: what the function returned, or the error. */
  readonly payload: string;
};

/** What Lambda answers when a function throws. */
export type FunctionError = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
};

type EnvironmentOptions = {
  readonly start: WorkerStart;
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** Answers the calls that the function makes without a socket. */
  readonly call: (request: AwsRequest) => Promise<AwsResponse>;
  readonly onOutput: (text: string) => void;
  readonly onEnd: () => void;
};

/** Lambda gives a function ten seconds to start before the invocation's own time begins. */
const INIT_TIMEOUT_MS = 10_000;

/** A thread whose event loop has not turned for this time after an invocation timed out answers no more. */
const ANSWER_WITHIN_MS = 5_000;

/** Imports worker.ts with the cache, which also keeps the source without types. Otherwise every environment loads the compiler that removes them. */
const PROGRAM = `
require('node:module').enableCompileCache(require('node:worker_threads').workerData.compiledCode);
import(${JSON.stringify(new URL('./worker.ts', import.meta.url).href)});`;

const KILLED = {
  errorType: 'Runtime.ExitError',
  errorMessage: 'RequestId: Error: Runtime exited with error: signal: killed',
};

/**
 * One execution environment: a thread that handles many invocations at the same time, as on Lambda Managed Instances. A timed-out
 * invocation is not stopped. The end of the thread is the end of all its invocations.
 */
export class ExecutionEnvironment {
  readonly #options: EnvironmentOptions;
  readonly #worker: Worker;
  /** Resolves when the thread has started, or has ended before. */
  readonly #started = Promise.withResolvers<void>();
  readonly #running = new Map<
    string,
    { readonly begun: () => void; readonly settle: (result: InvocationResult) => void }
  >();
  #silent: NodeJS.Timeout | undefined;
  #end: FunctionError | undefined;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
    const { port1, port2 } = new MessageChannel();
    port1.on('message', (call: Call) => void this.#answer(port1, call));
    this.#worker = new Worker(PROGRAM, {
      eval: true,
      workerData: { ...options.start, gateway: port2 },
      transferList: [port2],
      env: { ...options.variables },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    });
    this.#worker.stdout.setEncoding('utf8').on('data', options.onOutput);
    this.#worker.stderr.setEncoding('utf8').on('data', options.onOutput);
    this.#listen();
  }

  /** True when the thread has ended or cannot start. It takes no invocation any more. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Runs one event to its end, which is the function's timeout at the latest. Never throws.
   * @param event JSON text
   * @param begun called once the thread has begun with the event, if it does
   */
  async invoke(event: string, requestId: string, begun: () => void): Promise<InvocationResult> {
    await this.#started.promise;
    if (this.#end !== undefined) return failure(this.#end);
    const { timeoutMs } = this.#options;
    const timer = setTimeout(() => this.#timeOut(requestId), timeoutMs);
    try {
      return await new Promise((settle) => {
        this.#running.set(requestId, { begun, settle });
        this.#post({ requestId, event, deadline: Date.now() + timeoutMs });
      });
    } finally {
      clearTimeout(timer);
      this.#running.delete(requestId);
    }
  }

  /** Ends the thread now. All its invocations fail. */
  async kill(error: FunctionError = KILLED): Promise<void> {
    this.#fail(error);
    await this.#worker.terminate();
  }

  #listen(): void {
    const errorMessage = `Init timed out after ${INIT_TIMEOUT_MS / 1000} s`;
    const late = setTimeout(() => void this.kill({ errorType: 'Sandbox.Timedout', errorMessage }), INIT_TIMEOUT_MS);
    const started = () => {
      clearTimeout(late);
      this.#started.resolve();
    };
    this.#worker.on('message', (reply: WorkerReply) => {
      if (reply.kind === 'ready') started();
      else if (reply.kind === 'alive') this.#answered();
      else if (reply.kind === 'begun') this.#running.get(reply.requestId)?.begun();
      else this.#running.get(reply.requestId)?.settle(reply.result);
    });
    this.#worker.on('error', (error) => {
      this.#log(error.stack ?? String(error));
      const errorType = error.name === 'Error' ? 'Runtime.UnhandledError' : error.name;
      this.#fail({ errorType, errorMessage: error.message });
    });
    this.#worker.on('exit', () => {
      this.#fail({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited without providing a reason' });
      this.#options.onEnd();
      this.#answered();
      started();
    });
  }

  async #answer(port: MessagePort, { id, method, path, headers, body }: Call): Promise<void> {
    const response = await this.#options.call({ method, path, headers, body: Buffer.from(body.buffer) });
    const answer: CallAnswer = { id, ...response, body: new Uint8Array(Buffer.from(response.body)) };
    port.postMessage(answer, [answer.body.buffer]);
  }

  /** Ends the invocation, and the environment when its thread does not answer, because then no invocation in it can end. */
  #timeOut(requestId: string): void {
    const seconds = (this.#options.timeoutMs / 1000).toFixed(2);
    const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`;
    this.#log(errorMessage);
    this.#running.get(requestId)?.settle(failure({ errorType: 'Sandbox.Timedout', errorMessage }));
    this.#silent ??= setTimeout(() => void this.kill(), ANSWER_WITHIN_MS);
    this.#post('ask');
  }

  #answered(): void {
    clearTimeout(this.#silent);
    this.#silent = undefined;
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #log(message: string): void {
    this.#options.onOutput(`${JSON.stringify({ level: 'ERROR', message })}\n`);
  }

  #fail(error: FunctionError): void {
    this.#end ??= error;
    for (const { settle } of this.#running.values()) settle(failure(this.#end));
  }
}

const failure = (error: FunctionError): InvocationResult => ({ failed: true, payload: JSON.stringify(error) });
