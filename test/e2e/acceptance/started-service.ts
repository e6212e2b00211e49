import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { serviceAssembly } from './assembly.ts';
import { functionIds, functionOf, loginOf } from './local-service.ts';
import type { Service } from './scenario.ts';

export type StartedService = Service & {
  readonly readyFile: string;
  /** Returns what the process has printed. */
  readonly output: () => string;
  /** Returns everything that the functions have logged. */
  readonly logs: () => string;
  /** Ends the process as Ctrl-C does. @returns its exit code */
  readonly interrupt: () => Promise<number | null>;
};

/** The code of a service: its folder, the Node that runs it, and its cloud assembly. */
type Code = { readonly root: string; readonly node: string; readonly assembly: string };

/** Starts `npm start` in a separate process, with its state in `folder`. */
export async function startService(folder: string, ...words: readonly string[]): Promise<StartedService> {
  const assembly = await serviceAssembly();
  const environment = { VA_WAVE_LOCAL_ASSEMBLY: assembly };
  return startCode({ root: process.cwd(), node: process.execPath, assembly }, { folder, words, environment });
}

/** Starts `npm start` of the release in `root`, in which its packages are installed, with its state in `folder`. */
export function startRelease(root: string, folder: string, ...words: readonly string[]): Promise<StartedService> {
  const code = { root, node: join(root, 'node_modules/.bin/node'), assembly: join(folder, 'data/assembly') };
  return startCode(code, { folder, words, environment: {} });
}

async function startCode(
  { root, node, assembly }: Code,
  {
    folder,
    words,
    environment,
  }: {
    readonly folder: string;
    readonly words: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
  },
): Promise<StartedService> {
  const readyFile = join(folder, 'ready.json');
  const data = join(folder, 'data');
  const child = spawn(node, ['local/start.ts', '--port', '0', '--data', data, '--ready-file', readyFile, ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  // The service ends with the suite, even when the suite is killed.
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  await printed(child, 'ready after', () => output);
  const ready: Record<
    'base_url' | 'api_url' | 'gateway_url' | 'region' | 'access_key_id' | 'secret_access_key',
    string
  > & { readonly outputs: Record<string, string> } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const aws = {
    endpoint: ready.gateway_url,
    region: ready.region,
    credentials: { accessKeyId: ready.access_key_id, secretAccessKey: ready.secret_access_key },
  };
  const lambda = new LambdaClient(aws);
  const ids = functionIds(assembly);
  return {
    baseUrl: ready.base_url,
    apiUrl: ready.api_url,
    aws,
    outputs: ready.outputs,
    loginClient: () => loginOf(ready.base_url),
    readyFile,
    output: () => output,
    logs: () => {
      const logs = join(data, 'logs');
      return readdirSync(logs)
        .map((file) => readFileSync(join(logs, file), 'utf8'))
        .join('');
    },
    invoke: async (construct, payload) => {
      const FunctionName = `VaWave-${functionOf(ids, construct)}`;
      const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload) }));
      const text = answer.Payload?.transformToString() ?? 'null';
      if (answer.FunctionError !== undefined) throw new Error(`${construct} failed: ${text}`);
      return JSON.parse(text);
    },
    interrupt: () =>
      new Promise((resolve) => {
        child.once('exit', (code) => resolve(code));
        child.kill('SIGINT');
      }),
  };
}

async function printed(child: ChildProcess, text: string, output: () => string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (output().includes(text)) resolve();
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output()}`)));
  });
}
