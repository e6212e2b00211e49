import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/callers.ts';
import type { LambdaResource } from '../template/stack.ts';
import { ExecutionEnvironment, type InvocationResult } from './execution-environment.ts';

type LambdaFunctionOptions = {
  readonly definition: LambdaResource;
  /** As which the function makes its calls. */
  readonly caller: Caller;
  /** Creates the variables of a new environment, with an access key of its own. */
  readonly issue: () => EnvironmentKey;
  /** Folder where V8 keeps compiled code for the next environment. */
  readonly compiledCode: string;
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

/** A place for one invocation, which its holder either uses or leaves. */
export type Place = {
  /** Runs the function and leaves the place. `result` is never rejected: a failure is a result. @param event JSON text */
  run(event: string): Run;
  leave(): void;
};

export type Run = {
  /** Resolves when the function has begun, or has ended before. */
  readonly begun: Promise<unknown>;
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
  readonly #waiting: { readonly bytes: number; readonly give: (place: Place | undefined) => void }[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(options: LambdaFunctionOptions) {
    this.definition = options.definition;
    this.caller = options.caller;
    this.#options = options;
    this.#bytesMax = options.definition.properties.MemorySize * 1024 * 1024 * SHARE_OF_MEMORY_FOR_EVENTS;
  }

  /**
   * Resolves with a place as soon as one is free, in the order of the calls, or with undefined when the cloud stops.
   * @param bytes of the event, as far as they are known already
   */
  async place(bytes = 0): Promise<Place | undefined> {
    if (this.#stopped) return undefined;
    if (this.#waiting.length === 0 && this.#hasRoom) return this.#take(bytes);
    return new Promise((give) => this.#waiting.push({ bytes, give }));
  }

  /**
   * Runs the function and waits for its answer. Never throws: a failure is a result.
   * @param event JSON text
   */
  async invoke(event: string): Promise<InvocationResult> {
    const place = await this.place(Buffer.byteLength(event));
    return place === undefined ? STOPS : place.run(event).result;
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
    for (const { give } of this.#waiting.splice(0)) give(undefined);
    await this.kill();
  }

  get #hasRoom(): boolean {
    return this.#taken < INVOCATIONS_AT_ONCE && (this.#taken === 0 || this.#bytes < this.#bytesMax);
  }

  #take(expected: number): Place {
    let bytes = expected;
    this.#taken += 1;
    this.#bytes += bytes;
    const leave = (): void => {
      this.#taken -= 1;
      this.#bytes -= bytes;
      while (this.#hasRoom) {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        next.give(this.#take(next.bytes));
      }
    };
    return {
      leave,
      run: (event) => {
        this.#bytes += Buffer.byteLength(event) - bytes;
        bytes = Buffer.byteLength(event);
        const { promise, resolve } = Promise.withResolvers<void>();
        const result = this.#run(event, resolve).finally(leave);
        return { begun: Promise.race([promise, result]), result };
      },
    };
  }

  async #run(event: string, begun: () => void): Promise<InvocationResult> {
    // The holder of a place may only use it now. Nobody would end another environment.
    if (this.#stopped) return STOPS;
    if (this.#environment === undefined || this.#environment.ended) this.#environment = this.#start();
    return this.#environment.invoke(event, randomUUID(), begun);
  }

  #start(): ExecutionEnvironment {
    const { definition, issue, compiledCode, onOutput } = this.#options;
    const { variables, revoke } = issue();
    return new ExecutionEnvironment({
      start: { codeFolder: definition.codeFolder, handler: definition.properties.Handler, compiledCode },
      variables,
      memoryMb: definition.properties.MemorySize,
      functionArn: definition.arn,
      timeoutMs: definition.properties.Timeout * 1000,
      onOutput,
      onEnd: revoke,
    });
  }
}
