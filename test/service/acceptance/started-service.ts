import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from './assembly.ts';
import { functionIds, functionOf, invokeBySdk, loginOf } from './local-service.ts';
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
  const child = spawn(process.execPath, ['local/start.ts', '--port', '0', '--data', folder, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, VA_WAVE_LOCAL_ASSEMBLY: assembly },
  });
  // The service ends with the process of its tests. It is killed: the folder with its state is deleted at the same time.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}:\n${output}`);
    return output.includes('ready after');
  });
  const ready: Record<
    'base_url' | 'api_url' | 'gateway_url' | 'region' | 'access_key_id' | 'secret_access_key',
    string
  > & { readonly outputs: Record<string, string> } = JSON.parse(readFileSync(readyFile, 'utf8'));
  const aws = {
    endpoint: ready.gateway_url,
    region: ready.region,
    credentials: { accessKeyId: ready.access_key_id, secretAccessKey: ready.secret_access_key },
  };
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
      const logs = join(folder, 'logs');
      return readdirSync(logs)
        .map((file) => readFileSync(join(logs, file), 'utf8'))
        .join('');
    },
    invoke: invokeBySdk(aws, (construct) => `VaWave-${functionOf(ids, construct)}`),
    interrupt: () =>
      new Promise((resolve) => {
        child.once('exit', (code) => resolve(code));
        child.kill('SIGINT');
      }),
  };
}
