import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CloudError } from '../cloud-error.ts';

/** A running DynamoDB: its origin without a path, and a function that ends it. */
export type DynamoProcess = { readonly origin: string; stop(): Promise<void> };

const BINARY = fileURLToPath(new URL('../../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url));

/**
 * Runs the engine, and ends it when the pipe from this process closes, which also happens when this process is killed. After TERM,
 * the engine completes its writes.
 */
const SUPERVISOR = `exec 3<&0
"$@" </dev/null &
engine=$!
(cat <&3 >/dev/null; kill -TERM $engine) 2>/dev/null &
wait $engine`;

/** The engine usually answers within 50 ms. A slow machine or a download by npx takes longer. */
const START_TIMEOUT_MS = 60_000;

/**
 * Starts dynoxide on a free loopback port. Where it has no binary for this platform, npx may find one, and
 * `DYNAMODB_ENDPOINT` names another DynamoDB instead.
 * @param databaseFile SQLite file that keeps the tables
 * @param onDeath called when it ends without having been asked to
 * @throws CloudError when there is no engine or it cannot open the file
 */
export async function startDynoxide(databaseFile: string, onDeath: () => void): Promise<DynamoProcess> {
  const endpoint = process.env.DYNAMODB_ENDPOINT;
  if (endpoint !== undefined && endpoint !== '') {
    const origin = new URL(endpoint).origin;
    if (!(await answers(origin))) throw new CloudError(`No DynamoDB answers at DYNAMODB_ENDPOINT=${endpoint}`);
    return { origin, stop: async () => {} };
  }
  const port = await freePort();
  const command = existsSync(BINARY) ? [BINARY] : ['npx', '--no', 'dynoxide'];
  const child = spawn(
    'sh',
    [
      '-c',
      SUPERVISOR,
      'dynoxide',
      ...command,
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--db-path',
      databaseFile,
    ],
    // A separate process group: Ctrl-C ends only this process, which ends the engine last.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(origin))) {
    if (hasEnded(child)) throw new CloudError(explain(complaint, databaseFile));
    if (Date.now() > deadline) {
      child.stdin.end();
      throw new CloudError(`dynoxide did not start within ${START_TIMEOUT_MS / 1000} s`);
    }
    await sleep(10);
  }
  child.once('exit', onDeath);
  return {
    origin,
    async stop() {
      child.off('exit', onDeath);
      child.stdin.end();
      await ended;
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function explain(complaint: string, databaseFile: string): string {
  if (/not a valid SQLite|malformed|corrupt/i.test(complaint)) {
    return `The state in ${databaseFile} cannot be read. Delete the data folder to start without state, or name another with --data`;
  }
  if (/not found|could not determine executable|canceled/i.test(complaint)) {
    return (
      'There is no DynamoDB engine for this platform: run npm ci on linux-x64, put dynoxide into node_modules, ' +
      'or name a running DynamoDB in DYNAMODB_ENDPOINT'
    );
  }
  return `dynoxide ended at its start: ${complaint.trim() || 'it printed no reason'}`;
}

async function answers(origin: string): Promise<boolean> {
  try {
    const response = await fetch(origin, { method: 'POST', signal: AbortSignal.timeout(1000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Returns a port that no process uses. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new CloudError('No free port on 127.0.0.1');
  return address.port;
}
