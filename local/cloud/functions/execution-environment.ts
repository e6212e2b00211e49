import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { AwsRequest } from '../gateway.ts';
import type { HttpAnswer } from '../listener.ts';

/** The data with which a worker starts. As in Lambda, all other settings are in its environment. */
export type WorkerStart = {
  readonly functionArn: string;
  /** Folder where V8 keeps compiled code, absolute. */
  readonly compiledCode: string;
};

/** A message between threads, whose body moves to the other thread. */
type Numbered<Message> = Omit<Message, 'body'> & { readonly id: number; readonly body: Uint8Array<ArrayBuffer> };
/** A call of AWS that a function makes without a socket. */
export type Call = Numbered<AwsRequest>;
export type CallAnswer = Numbered<HttpAnswer>;

export type InvocationRequest = {
  readonly requestId: string;
  /** The event as JSON text. */
  readonly event: string;
  /** Unix milliseconds at which the invocation times out. */
  readonly deadline: number;
};

/** Parent to worker: an invocation, or the question whether the thread still answers, with `alive`. */
export type WorkerRequest = InvocationRequest | 'ask';

/** Worker to parent. */
export type WorkerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alive' }
  /** The function has begun: its first calls are on their way. */
  | { readonly kind: 'begun'; readonly requestId: string }
  | { readonly kind: 'ended'; readonly requestId: string; readonly result: InvocationResult };

/** How an invocation ended, in Lambda's words. */
export type InvocationResult = {
  readonly hasFailed: boolean;
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
  readonly call: (request: AwsRequest) => Promise<HttpAnswer>;
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

/** Lambda's words, without the id of a request, because the error is that of all invocations in progress. */
const KILLED = {
  errorType: 'Runtime.ExitError',
  errorMessage: 'RequestId: Error: Runtime exited with error: signal: killed',
};

type Running = { readonly onBegin: () => void; readonly settle: (result: InvocationResult) => void };
export type ExecutionEnvironment = ReturnType<typeof executionEnvironment>;

/** A thread of many invocations, as on Managed Instances. A timed-out one is not stopped; its end ends all. */
export function executionEnvironment(options: EnvironmentOptions) {
  const { timeoutMs, onOutput } = options;
  /** By the id of an invocation. */
  const runningInvocations = new Map<string, Running>();
  /** The timer that ends the thread unless it answers before. */
  let silence: NodeJS.Timeout | undefined;
  let endedWith: FunctionError | undefined;
  const { port1: gatewayEnd, port2: functionEnd } = new MessageChannel();
  gatewayEnd.on('message', (call: Call) => void answerCall(gatewayEnd, call, options.call));
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { ...options.start, gateway: functionEnd },
    transferList: [functionEnd],
    env: { ...options.variables },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
  });
  worker.stdout.setEncoding('utf8').on('data', onOutput);
  worker.stderr.setEncoding('utf8').on('data', onOutput);

  const post = (request: WorkerRequest): void => worker.postMessage(request);
  const log = (message: string): void =>
    onOutput(`${JSON.stringify({ timestamp: new Date().toISOString(), level: 'ERROR', message })}\n`);
  /** Lets all invocations fail, and all later ones. The first error counts. */
  const fail = (error: FunctionError): void => {
    endedWith ??= error;
    for (const { settle } of runningInvocations.values()) settle(failure(endedWith));
  };
  /** Ends the thread now. All its invocations fail. */
  const kill = async (error: FunctionError = KILLED): Promise<void> => {
    fail(error);
    await worker.terminate();
  };
  const endSilence = (): void => {
    clearTimeout(silence);
    silence = undefined;
  };

  /** `started` resolves when the thread has started, or has ended before. */
  const { promise: startEnd, resolve: startIsOver } = Promise.withResolvers<void>();
  const tooLate = `Init timed out after ${INIT_TIMEOUT_MS / 1000} s`;
  const late = setTimeout(() => void kill({ errorType: 'Sandbox.Timedout', errorMessage: tooLate }), INIT_TIMEOUT_MS);
  void startEnd.then(() => clearTimeout(late));
  worker.on('message', (reply: WorkerReply) => {
    if (reply.kind === 'ready') startIsOver();
    else if (reply.kind === 'alive') endSilence();
    else if (reply.kind === 'begun') runningInvocations.get(reply.requestId)?.onBegin();
    else runningInvocations.get(reply.requestId)?.settle(reply.result);
  });
  worker.on('error', (error) => {
    log(error.stack ?? String(error));
    const errorType = error.name === 'Error' ? 'Runtime.UnhandledError' : error.name;
    fail({ errorType, errorMessage: error.message });
  });
  worker.on('exit', () => {
    fail({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited without providing a reason' });
    options.onEnd();
    endSilence();
    startIsOver();
  });

  /** Ends the invocation, and the environment when its thread does not answer, because then no invocation in it can end. */
  const timeOut = (requestId: string): void => {
    const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
    log(errorMessage);
    runningInvocations.get(requestId)?.settle(failure({ errorType: 'Sandbox.Timedout', errorMessage }));
    silence ??= setTimeout(() => void kill(), ANSWER_WITHIN_MS);
    post('ask');
  };

  return {
    kill,
    /** True when the thread has ended or cannot start. It takes no invocation any more. */
    hasEnded: (): boolean => endedWith !== undefined,
    /** Runs an event, JSON text, until the timeout at most. Never throws. @param onBegin called once it has begun */
    invoke: async (event: string, requestId: string, onBegin: () => void): Promise<InvocationResult> => {
      await startEnd;
      if (endedWith !== undefined) return failure(endedWith);
      const timer = setTimeout(() => timeOut(requestId), timeoutMs);
      try {
        return await new Promise((settle) => {
          runningInvocations.set(requestId, { onBegin, settle });
          post({ requestId, event, deadline: Date.now() + timeoutMs });
        });
      } finally {
        clearTimeout(timer);
        runningInvocations.delete(requestId);
      }
    },
  };
}

async function answerCall(port: MessagePort, { id, body, ...request }: Call, call: EnvironmentOptions['call']) {
  const response = await call({ ...request, body: Buffer.from(body.buffer) });
  const answer: CallAnswer = { id, ...response, body: new Uint8Array(Buffer.from(response.body)) };
  port.postMessage(answer, [answer.body.buffer]);
}

export const failure = (error: FunctionError): InvocationResult => ({
  hasFailed: true,
  payload: JSON.stringify(error),
});
