import { randomUUID } from 'node:crypto';
import inspector from 'node:inspector';
import { join } from 'node:path';
import { type AccessKeys, type Authorizer, type Caller, newCredentials } from '../access/authorizer.ts';
import { REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { AwsRequest } from '../gateway.ts';
import type { HttpAnswer } from '../listener.ts';
import type { LambdaResource } from '../template/stack.ts';
import {
  type ExecutionEnvironment,
  executionEnvironment,
  failure,
  type InvocationResult,
} from './execution-environment.ts';
import { functionLog } from './function-log.ts';

type LambdaFunctionOptions = {
  readonly keys: AccessKeys;
  readonly authorizer: Authorizer;
  readonly gatewayUrl: string;
  readonly logFolder: string;
  /** A file that gets the lines of every function. */
  readonly logCopy?: string | undefined;
  /** Environment variables of every function, for the differences between the local cloud and AWS. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folder where V8 keeps compiled code for the next environment. */
  readonly compiledCode: string;
  /** Answers the calls that functions make without a socket. */
  readonly call: (request: AwsRequest) => Promise<HttpAnswer>;
  /** Called with one line about each error that the function logs. */
  readonly onError: (line: string) => void;
};

export type Run = {
  /** Resolves when the function has begun, or has ended before. */
  readonly begin: Promise<unknown>;
  /** Never rejected: a failure is a result. */
  readonly result: Promise<InvocationResult>;
};

/** What Lambda Managed Instances send at the same time to each vCPU of a Node.js function. Further invocations wait. */
export const INVOCATIONS_AT_ONCE = 64;

/**
 * An event of small arrays needs up to twenty times its bytes while it is handled: as text, as objects and as text again. So no
 * invocation begins while the events of those that are running have more than this share of the function's memory.
 */
const SHARE_OF_MEMORY_FOR_EVENTS = 1 / 32;
/** Lambda's limits for the event and the response of an invocation that somebody waits for. */
export const EVENT_MAX_BYTES = 6 * 1024 * 1024;
const RESPONSE_MAX_BYTES = 6_291_556;

export type LambdaFunction = ReturnType<typeof lambdaFunction>;

/** A function and its environment, which an invocation starts. @throws CloudError when Lambda may not take its role */
export function lambdaFunction(definition: LambdaResource, options: LambdaFunctionOptions) {
  const { logicalId, ref, arn, role, properties } = definition;
  const { keys, authorizer, gatewayUrl, onError } = options;
  if (!authorizer.mayAssume(role, 'lambda.amazonaws.com')) {
    throw new CloudError(`${logicalId}: its role ${role.logicalId} does not let lambda.amazonaws.com assume it`);
  }
  const sessionArn = `${role.arn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${ref}`;
  const caller: Caller = { kind: 'function', functionId: logicalId, sessionArn, role };
  const onOutput = functionLog({
    file: join(options.logFolder, `${logicalId}.log`),
    caller,
    logGroup: properties.LoggingConfig.LogGroup,
    authorizer,
    copy: options.logCopy,
    onError,
  });
  const maxRunningBytes = properties.MemorySize * 1024 * 1024 * SHARE_OF_MEMORY_FOR_EVENTS;
  // A debugger may hold an invocation for any time. No timer of Node is longer than this one.
  const timeoutMs = inspector.url() === undefined ? properties.Timeout * 1000 : 2 ** 31 - 1;
  let environment: ExecutionEnvironment | undefined;
  let runningCount = 0;
  /** Of the events of the running invocations. */
  let runningBytes = 0;
  /** Invocations that wait for room, in the order of the calls. */
  const waitingInvocations: (() => void)[] = [];
  const abort = new AbortController();
  const { signal } = abort;

  /** Starts an environment with an access key of its own, and with no variable of this process. */
  const start = (): ExecutionEnvironment => {
    const { accessKeyId, secretAccessKey } = newCredentials();
    keys.set(accessKeyId, caller);
    const variables = {
      ...properties.Environment.Variables,
      ...options.environment,
      AWS_ENDPOINT_URL: gatewayUrl,
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: 'local',
      AWS_EXECUTION_ENV: `AWS_Lambda_${properties.Runtime}`,
      AWS_LAMBDA_FUNCTION_NAME: ref,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(properties.MemorySize),
      // With these two, the runtime's library and Powertools keep concurrent invocations apart (docs/decisions/0001).
      AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
      AWS_LAMBDA_MAX_CONCURRENCY: String(INVOCATIONS_AT_ONCE),
      AWS_LAMBDA_LOG_GROUP_NAME: properties.LoggingConfig.LogGroup,
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      AWS_LAMBDA_LOG_FORMAT: properties.LoggingConfig.LogFormat,
      LAMBDA_TASK_ROOT: definition.codeFolder,
      _HANDLER: properties.Handler,
      LANG: 'en_US.UTF-8',
      TZ: ':UTC',
    };
    return executionEnvironment({
      start: { functionArn: arn, compiledCode: options.compiledCode },
      variables,
      memoryMb: properties.MemorySize,
      timeoutMs,
      call: options.call,
      onOutput,
      onEnd: () => keys.delete(accessKeyId),
    });
  };

  const admit = (): void => {
    const hasRoom = () => runningCount < INVOCATIONS_AT_ONCE && (runningCount === 0 || runningBytes < maxRunningBytes);
    while (hasRoom() && waitingInvocations.length > 0) waitingInvocations.shift()?.();
  };

  const run = (event: string): Run => {
    const bytes = Buffer.byteLength(event);
    if (environment === undefined || environment.hasEnded()) environment = start();
    runningCount += 1;
    runningBytes += bytes;
    const functionBegin = Promise.withResolvers<void>();
    const result = environment.invoke(event, randomUUID(), functionBegin.resolve).finally(() => {
      runningCount -= 1;
      runningBytes -= bytes;
      admit();
    });
    return { begin: Promise.race([functionBegin.promise, result]), result };
  };

  /**
   * Runs the function as soon as there is room for it. Resolves when it runs, or with undefined without an event or when the cloud stops.
   * @param next returns the event as JSON text; called when there is room. What it throws is thrown
   */
  const begin = (next: () => string | undefined): Promise<Run | undefined> =>
    new Promise((resolve, reject) => {
      waitingInvocations.push(() => {
        try {
          const event = signal.aborted ? undefined : next();
          resolve(event === undefined ? undefined : run(event));
        } catch (error) {
          reject(error);
        }
      });
      admit();
    });

  /** Waits for the function's answer. Never throws: a failure is a result. @param event JSON text */
  const invoke = async (event: string): Promise<InvocationResult> => {
    const result = await (await begin(() => event))?.result;
    if (result === undefined) return failure({ errorType: 'ServiceException', errorMessage: 'The machine stops' });
    if (Buffer.byteLength(result.payload) <= RESPONSE_MAX_BYTES) return result;
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${RESPONSE_MAX_BYTES} bytes).`;
    return failure({ errorType: 'Function.ResponseSizeTooLarge', errorMessage });
  };

  /** Ends the environment immediately with all its invocations, as a crash does. The next invocation starts another one. */
  const kill = async (): Promise<void> => environment?.kill();

  return {
    definition,
    caller,
    begin,
    invoke,
    kill,
    isCalled: (id: string): boolean => [ref, arn, logicalId].includes(id),
    stop: async (): Promise<void> => {
      abort.abort();
      for (const go of waitingInvocations.splice(0)) go();
      await kill();
    },
  };
}
