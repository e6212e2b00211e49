import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { InvokeStore, InvokeStoreBase } from '@aws/lambda-invoke-store';
import type {
  FunctionError,
  InvocationRequest,
  WorkerReply,
  WorkerRequest,
  WorkerStart,
} from './execution-environment.ts';

// Emulates the Node runtime of Lambda Managed Instances in a worker thread. It imports the bundle once and then handles many events at the
// same time, each with an invoke store of its own. It has only the function's environment variables.

type Handler = (event: unknown, context: Readonly<Record<string, unknown>>) => unknown;

const port = parentPort;
if (port === null) throw new Error('worker.ts runs in a worker thread');
const { functionArn }: WorkerStart = workerData;
const reply = (message: WorkerReply): void => port.postMessage(message);

// What is thrown from here on ends the thread with an error. The copies of this module in the bundle find this store. As in AWS's runtime, no
// invocation has begun while the bundle is imported, so what it writes into the store then is an error.
const store = await InvokeStore.getInstanceAsync();
const handler = await loadHandler(process.env.LAMBDA_TASK_ROOT ?? '', process.env._HANDLER ?? '');
port.on('message', (request: WorkerRequest) => {
  if (request === 'ask') return reply({ kind: 'alive' });
  store.run({ [InvokeStoreBase.PROTECTED_KEYS.REQUEST_ID]: request.requestId }, () => void run(handler, request));
});
reply({ kind: 'ready' });
// Otherwise the cache is written when the environment ends, and the next one may start before.
flushCompileCache();

/** @param folder of the bundle, an ES module @param path `index.handler` */
async function loadHandler(folder: string, path: string): Promise<Handler> {
  const [module = '', name = ''] = path.split('.');
  const loaded: Record<string, unknown> = await import(pathToFileURL(join(folder, `${module}.mjs`)).href);
  const exportedHandler = loaded[name];
  if (!isHandler(exportedHandler)) throw new Error(`${path} is undefined or not exported`);
  return exportedHandler;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

async function run(handler: Handler, { requestId, event, deadline }: InvocationRequest): Promise<void> {
  try {
    const answer = handler(JSON.parse(event), {
      awsRequestId: requestId,
      invokedFunctionArn: functionArn,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: '$LATEST',
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    setImmediate(() => reply({ kind: 'begun', requestId }));
    const result = await answer;
    reply({ kind: 'ended', requestId, result: { hasFailed: false, payload: JSON.stringify(result) ?? 'null' } });
  } catch (error) {
    const described = describe(error);
    const line = { timestamp: new Date().toISOString(), level: 'ERROR', requestId, message: described };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    reply({ kind: 'ended', requestId, result: { hasFailed: true, payload: JSON.stringify(described) } });
  }
}

function describe(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}
