import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../../local/cloud/listener.ts';
import { startServer } from '../../harness/server.ts';
import { eventually } from '../../harness/until.ts';

/** The answer of an invocation, or its error, as Lambda's client for Node.js sends it. */
export type RuntimeAnswer = {
  readonly hasFailed: boolean;
  readonly payload: string;
  /** Milliseconds between the answer and the function's limit. */
  readonly msLeft: number;
};

type Invocation = {
  readonly id: string;
  readonly event: string;
  readonly settle: (answer: Omit<RuntimeAnswer, 'msLeft'>, deadline: number) => void;
};

export type Program = {
  /** Path of Lambda's client. */
  readonly client: string;
  /** Path of the bundle, which exports `handler`. */
  readonly bundle: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** As Lambda Managed Instances do; else as on demand, one after the other. */
  readonly atOnce?: number;
};

/** The environment of a function, without that of this process. */
const runtimeEnvironment = ({ bundle, variables, atOnce, timeoutSeconds }: Omit<Program, 'client'>) => ({
  ...variables,
  PATH: process.env.PATH,
  LAMBDA_TASK_ROOT: dirname(bundle),
  _HANDLER: 'index.handler',
  AWS_LAMBDA_FUNCTION_NAME: 'function',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_FUNCTION_TIMEOUT: String(timeoutSeconds),
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_GROUP_NAME: 'group',
  AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
  TZ: ':UTC',
  // One thread has all invocations, so that they meet in its modules.
  ...(atOnce !== undefined && {
    AWS_LAMBDA_MAX_CONCURRENCY: String(atOnce),
    AWS_LAMBDA_NODEJS_WORKER_COUNT: '1',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
  }),
});

/** Starts a function in Lambda's own client, below a Runtime API (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). */
export async function startRuntime(program: Program) {
  const waitingInvocations: Invocation[] = [];
  const waitingClients: ServerResponse[] = [];
  /** With the deadline of each: the time begins when the client takes an invocation, and not while a function starts. */
  const running = new Map<string, Invocation & { readonly deadline: number }>();
  const initFailure = Promise.withResolvers<string>();
  const hand = () => {
    while (waitingInvocations.length > 0 && waitingClients.length > 0) {
      const [invocation, response] = [waitingInvocations.shift(), waitingClients.shift()];
      if (invocation === undefined || response === undefined) return;
      const deadline = Date.now() + 1000 * program.timeoutSeconds;
      running.set(invocation.id, { ...invocation, deadline });
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': invocation.id,
        'Lambda-Runtime-Deadline-Ms': String(deadline),
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:us-east-1:000000000000:function:function',
        'Lambda-Runtime-Trace-Id': 'Root=1-00000000-000000000000000000000000;Parent=0000000000000000;Sampled=0',
      });
      response.end(invocation.event);
    }
  };
  const api = await startServer(async (request, response) => {
    const [, , , what = '', id = '', outcome] = (request.url ?? '').split('/');
    if (request.method === 'GET') {
      waitingClients.push(response);
      return hand();
    }
    const payload = await text(request);
    response.writeHead(202).end();
    if (what === 'init') return initFailure.resolve(payload);
    const invocation = running.get(id);
    invocation?.settle({ hasFailed: outcome === 'error', payload }, invocation.deadline);
  });
  const child = spawn(process.execPath, [program.client, 'index.handler'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...runtimeEnvironment(program), AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${api.port}` },
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]).then((texts) => texts.join(''));
  const end = once(child, 'exit');
  return {
    /** Resolves with the error of a function that does not start. */
    initFailure: initFailure.promise,
    invoke: (event: object): Promise<RuntimeAnswer> =>
      new Promise((resolve, reject) => {
        void end.then(async () => reject(new Error(`The function has ended: ${await output}`)));
        const settle: Invocation['settle'] = (answer, deadline) =>
          resolve({ ...answer, msLeft: deadline - Date.now() });
        waitingInvocations.push({ id: randomUUID(), event: JSON.stringify(event), settle });
        hand();
      }),
    /** Ends the process as Lambda does, with SIGTERM. @returns the signal that has ended it, and what it has printed */
    stop: async () => {
      child.kill('SIGTERM');
      const [, signal]: unknown[] = await end;
      api.stop();
      return { signal, output: await output };
    },
  };
}

/** Starts a function in Lambda's own client below Lambda's own emulator of the Runtime API, which takes one invocation after the other. @param emulator its path */
export async function startEmulator(emulator: string, program: Program) {
  const [port, apiPort] = [await freePort(), await freePort()];
  const addresses = [
    '--runtime-interface-emulator-address',
    `127.0.0.1:${port}`,
    '--runtime-api-address',
    `127.0.0.1:${apiPort}`,
  ];
  const child = spawn(emulator, [...addresses, process.execPath, program.client, 'index.handler'], {
    stdio: 'ignore',
    env: runtimeEnvironment(program),
  });
  const end = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/2015-03-31/functions/function/invocations`;
  return {
    /** Returns what the caller of an invocation gets. */
    invoke: async (event: object): Promise<string> => {
      const request = { method: 'POST', body: JSON.stringify(event) };
      return eventually(() =>
        fetch(url, request).then(
          (answer) => answer.text(),
          () => undefined,
        ),
      );
    },
    stop: async () => {
      child.kill('SIGTERM');
      await end;
    },
  };
}

export const clientOf = (folder: string): string => join(folder, 'node_modules/aws-lambda-ric/index.mjs');
