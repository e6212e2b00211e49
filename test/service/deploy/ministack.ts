import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../local/cloud/listener.ts';
import { missingProgram } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';

const VERSION = '1.5.33';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/');
const venv = join(cache, `ministack-${VERSION}`);
const executable = join(venv, 'bin/ministack');
/** AWS's own command line, for the commands that the documents state. */
const AWS_CLI_VERSION = '1.46.3';
const awsCli = join(venv, 'bin/aws');

/** Installs the emulator once. @returns why it cannot be had; undefined when it is there */
export function installMiniStack(): string | undefined {
  if (existsSync(executable) && existsSync(awsCli)) return undefined;
  const missing = missingProgram('Python with venv');
  if (missing !== undefined) return missing;
  mkdirSync(cache, { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', venv], { stdio: ['ignore', 'ignore', 'pipe'] });
    const packages = [`ministack==${VERSION}`, 'cryptography', `awscli==${AWS_CLI_VERSION}`];
    execFileSync(join(venv, 'bin/pip'), ['install', '--quiet', ...packages], { stdio: ['ignore', 'ignore', 'pipe'] });
    return undefined;
  } catch (error) {
    rmSync(venv, { recursive: true, force: true });
    const because = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    return `the Python package ministack ${VERSION} cannot be installed (${because})`;
  }
}

export type MiniStack = Awaited<ReturnType<typeof startMiniStack>>;

/**
 * Starts the emulator on a free port of loopback.
 * @param environment what its functions find in theirs besides what the stack sets
 */
export async function startMiniStack(environment: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const port = await freePort();
  const log = join(folder, 'ministack.log');
  const output = openSync(log, 'a');
  const child = spawn(executable, [], {
    cwd: folder,
    // A group of its own: its functions are processes that must end with it.
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: `${nodeFolder(folder)}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: tmpdir(),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      LAMBDA_EXECUTOR: 'local',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      // Otherwise as many as this machine can run.
      LAMBDA_ACCOUNT_CONCURRENCY: '1000',
      ...environment,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error('It has ended');
      return fetch(`${url}/_ministack/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  } catch (error) {
    const lines = readFileSync(log, 'utf8');
    await kill(child);
    throw new Error(`MiniStack did not start: ${lines}`, { cause: error });
  }
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const commandEnvironment = (programs?: string) => ({
    PATH: [programs, dirname(process.execPath), dirname(awsCli), process.env.PATH].filter(Boolean).join(':'),
    HOME: folder,
    AWS_ENDPOINT_URL: url,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PAGER: '',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: 'true',
  });
  return {
    url,
    region,
    credentials,
    /** Returns the environment in which AWS's command line, `va-wave` and the CDK use the emulator. @param programs folder of further programs */
    environment: commandEnvironment,
    /** Runs a command of AWS's own command line here, and gives what it prints. @throws with what it says when it fails */
    aws: async (words: readonly string[]) =>
      (await promisify(execFile)(awsCli, [...words], { env: commandEnvironment() })).stdout,
    stop: () => kill(child),
  };
}

/** It starts functions with `node` by a CommonJS wrapper, which must see an ES module as something to `import()`. */
function nodeFolder(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const node = join(bin, 'node');
  writeFileSync(node, `#!/bin/sh\nexec "${process.execPath}" --no-experimental-require-module "$@"\n`);
  chmodSync(node, 0o755);
  return bin;
}

/** It takes no notice of a gentler signal while functions run. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

/** Runs a command of the CDK against the emulator, as an operator does. @param folder receives the command's files */
export async function runCdk(
  ministack: MiniStack,
  folder: string,
  words: readonly string[],
  app = 'node test/service/deploy/app.ts',
): Promise<string> {
  const out = ['--output', join(folder, 'cdk.out'), '--app', app];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['node_modules/aws-cdk/bin/cdk', ...words, ...out],
    {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...ministack.environment(), HOME: folder },
    },
  );
  return stdout + stderr;
}
