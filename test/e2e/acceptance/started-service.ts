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

/** Starts `npm start` in a separate process, with its state in `folder`. */
export async function startService(folder: string, ...words: readonly string[]): Promise<StartedService> {
  const assembly = await serviceAssembly();
  const readyFile = join(folder, 'ready.json');
  const data = join(folder, 'data');
  const options = ['--port', '0', '--data', data, '--ready-file', readyFile, ...words];
  const child = spawn(process.execPath, ['local/start.ts', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, VA_WAVE_LOCAL_ASSEMBLY: assembly },
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
