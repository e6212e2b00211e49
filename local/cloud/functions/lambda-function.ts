import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/callers.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { LambdaResource } from '../template/stack.ts';
import { ExecutionEnvironment } from './execution-environment.ts';
import type { InvocationResult } from './messages.ts';

type LambdaFunctionOptions = {
  readonly definition: LambdaResource;
  /** As which the function makes its calls. */
  readonly caller: Caller;
  /** Creates the variables of a new environment, with an access key of its own. */
  readonly issue: () => EnvironmentKey;
  /** Folder where V8 keeps compiled code for the next environment. */
  readonly compiledCode: string;
  /** Answers the calls that the function makes without a socket. */
  readonly call: Gateway['call'];
  readonly onOutput: (text: string) => void;
  /** Called with one line when an asynchronous invocation has failed for the last time. */
  readonly onLost: (message: string) => void;
};

/** The settings of one execution environment. */
export type EnvironmentKey = {
  readonly variables: Readonly<Record<string, string>>;
  /** Makes the access key invalid. */
  readonly revoke: () => void;
};

/** An invocation that was made. */
export type Run = {
  /** Resolves when the function has begun, or has ended before. */
  readonly begun: Promise<unknown>;
  /** Never rejected: a failure is a result. */
  readonly result: Promise<InvocationResult>;
};

/**
 * How many invocations run in an environment at the same time: what Lambda Managed Instances send to each vCPU of a Node.js function.
 * Further ones wait.
 */
export const INVOCATIONS_AT_ONCE = 64;

/**
 * An event of small arrays needs up to twenty times its bytes while it is handled: as text, as objects and as text again. So no
 * invocation begins while the events of those that are running have more than this share of the function's memory.
 */
const SHARE_OF_MEMORY_FOR_EVENTS = 1 / 32;

const STOPS: InvocationResult = {
  failed: true,
  payload: JSON.stringify({ errorType: 'ServiceException', errorMessage: 'The machine stops' }),
};

/** Lambda retries a failed asynchronous invocation twice, after one and two minutes. */
const ASYNC_RETRY_MS = [60_000, 120_000] as const;

/** A function with its one execution environment, which starts with the first invocation, and again after it has ended. */
export class LambdaFunction {
  readonly definition: LambdaResource;
  readonly caller: Caller;
  readonly #options: LambdaFunctionOptions;
  readonly #bytesMax: number;
  #environment: ExecutionEnvironment | undefined;
  #taken = 0;
  #bytes = 0;
  /** Invocations that wait for room, in the order of the calls. */
  readonly #waiting: (() => void)[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(options: LambdaFunctionOptions) {
    this.definition = options.definition;
    this.caller = options.caller;
    this.#options = options;
    this.#bytesMax = options.definition.properties.MemorySize * 1024 * 1024 * SHARE_OF_MEMORY_FOR_EVENTS;
  }

  /**
   * Runs the function as soon as there is room for it. Resolves when it runs, or with undefined without an event or when the cloud stops.
   * @param next returns the event as JSON text; called when there is room. What it throws is thrown
   */
  begin(next: () => string | undefined): Promise<Run | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          const event = this.#stopped ? undefined : next();
          resolve(event === undefined ? undefined : this.#run(event));
        } catch (error) {
          reject(error);
        }
      });
      this.#admit();
    });
  }

  /**
   * Runs the function and waits for its answer. Never throws: a failure is a result.
   * @param event JSON text
   */
  async invoke(event: string): Promise<InvocationResult> {
    return (await this.begin(() => event))?.result ?? STOPS;
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

  /** Ends the environment immediately with all its invocations, as a crash does. The next invocation starts another one. */
  async kill(): Promise<void> {
    await this.#environment?.kill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#retries) clearTimeout(timer);
    for (const go of this.#waiting.splice(0)) go();
    await this.kill();
  }

  #admit(): void {
    const hasRoom = () => this.#taken < INVOCATIONS_AT_ONCE && (this.#taken === 0 || this.#bytes < this.#bytesMax);
    while (hasRoom() && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  #run(event: string): Run {
    const bytes = Buffer.byteLength(event);
    this.#taken += 1;
    this.#bytes += bytes;
    if (this.#environment === undefined || this.#environment.ended) this.#environment = this.#start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const result = this.#environment.invoke(event, randomUUID(), resolve).finally(() => {
      this.#taken -= 1;
      this.#bytes -= bytes;
      this.#admit();
    });
    return { begun: Promise.race([promise, result]), result };
  }

  #start(): ExecutionEnvironment {
    const { definition, issue, compiledCode, call, onOutput } = this.#options;
    const { variables, revoke } = issue();
    return new ExecutionEnvironment({
      start: { codeFolder: definition.codeFolder, handler: definition.properties.Handler, compiledCode },
      variables,
      memoryMb: definition.properties.MemorySize,
      functionArn: definition.arn,
      timeoutMs: definition.properties.Timeout * 1000,
      call,
      onOutput,
      onEnd: revoke,
    });
  }
}
