import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { CloudError } from '../cloud-error.ts';
import { freePort } from '../listener.ts';

/** Opens a connection to the engine, as undici wants it. */
type Connector = (options: object, callback: (...result: [Error, null] | [null, Socket]) => void) => void;

export type DynamoProcess = {
  /** Without a path. */
  readonly origin: string;
  /** Opens connections to an engine in a network of its own. Without it, the origin can be reached from this process. */
  readonly connect?: Connector;
  /** Who besides this user can reach the engine. It asks nobody for a key. */
  readonly openTo?: string;
  stop(): Promise<void>;
};

const BINARY = fileURLToPath(new URL('../../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url));
const HOST = fileURLToPath(new URL('./engine-host.mjs', import.meta.url));
/** Options of Node for the host, which only starts the engine and opens connections. */
const SMALL_PROCESS = ['--single-threaded', '--max-semi-space-size=1'];
/** Runs a program in a new network, which only has a loopback interface. A new user namespace permits this to every user. */
const OWN_NETWORK = ['unshare', '--net', '--map-root-user', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

/**
 * Starts dynoxide. Where it has no binary for this platform, npx may find one, and `DYNAMODB_ENDPOINT` names another DynamoDB instead.
 *
 * The engine authenticates nobody, takes any Host and answers preflights with `*`. In a network of its own, only the connections exist
 * that this process asks for. In the shared one it has a random loopback address, which a website cannot guess, but other users of the
 * machine can look up. Systems other than Linux have one loopback address.
 * @param databaseFile SQLite file that keeps the tables
 * @param onDeath called when it ends without having been asked to
 * @param network `own` where the system permits it
 * @throws CloudError when there is no engine or it cannot open the file
 */
export async function startDynoxide(
  databaseFile: string,
  onDeath: () => void,
  network: 'own' | 'shared' = 'shared',
): Promise<DynamoProcess> {
  const endpoint = process.env.DYNAMODB_ENDPOINT;
  if (endpoint !== undefined && endpoint !== '') {
    const { origin } = new URL(endpoint);
    await fetch(origin, { method: 'POST', signal: AbortSignal.timeout(1000) }).catch(() => {
      throw new CloudError(`No DynamoDB answers at DYNAMODB_ENDPOINT=${endpoint}`);
    });
    return { origin, stop: async () => {} };
  }
  const isApart = network === 'own' && permitsOwnNetwork();
  const isLinux = process.platform === 'linux';
  const address = isApart || !isLinux ? '127.0.0.1' : `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = isApart ? 8000 : await freePort(address);
  const engine = existsSync(BINARY) ? [BINARY] : ['npx', '--no', 'dynoxide'];
  const serve = [...engine, 'serve', '--host', address, '--port', String(port), '--db-path', databaseFile];
  const [program = '', ...words] = [
    ...(isApart ? OWN_NETWORK : []),
    ...[process.execPath, ...SMALL_PROCESS, HOST, address, String(port), ...serve],
  ];
  // A separate process group: Ctrl-C ends only this process, which ends the engine last.
  const host = spawn(program, words, { stdio: ['pipe', 'ignore', 'pipe', 'ipc'], detached: true });
  const hostExit = once(host, 'close');
  let engineOutput = '';
  const hasStarted = await new Promise<boolean>((resolve) => {
    host.stderr?.setEncoding('utf8').on('data', (text: string) => {
      engineOutput = (engineOutput + text).slice(-2000);
      if (engineOutput.includes('listening on')) resolve(true);
    });
    void hostExit.then(() => resolve(false));
  });
  if (!hasStarted) throw new CloudError(explain(engineOutput, databaseFile));
  host.once('close', onDeath);
  const openTo = isLinux
    ? 'other users of this machine'
    : 'other users of this machine, and websites that find its port';
  return {
    origin: `http://${address}:${port}`,
    ...(isApart ? { connect: connectionsOf(host) } : { openTo }),
    async stop() {
      host.off('close', onDeath);
      // The host ends the engine when its input ends.
      host.stdin?.end();
      await hostExit;
    },
  };
}

/** Some systems permit no user namespace, and some have no `unshare` or `ip`. */
function permitsOwnNetwork(): boolean {
  const [program = '', ...words] = [...OWN_NETWORK, 'true'];
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}

/** Returns what asks the host for connections. They are all alike, so each is for who has waited longest. */
function connectionsOf(host: ChildProcess): Connector {
  const waitingCallbacks: Parameters<Connector>[1][] = [];
  const fail = (problem: string) => waitingCallbacks.shift()?.(new Error(problem), null);
  host.on('message', (problem: string, socket) => {
    if (socket instanceof Socket) waitingCallbacks.shift()?.(null, socket);
    else fail(problem);
  });
  // A host that ends answers none of the open questions.
  host.once('exit', () => {
    while (waitingCallbacks.length > 0) fail('The DynamoDB engine has ended');
  });
  return (_, callback) => {
    waitingCallbacks.push(callback);
    host.send('connect', (error) => {
      if (error !== null) fail(error.message);
    });
  };
}

function explain(engineOutput: string, databaseFile: string): string {
  if (/not a valid SQLite|malformed|corrupt/i.test(engineOutput)) {
    return `The state in ${databaseFile} cannot be read. Delete the data folder to start without state, or name another with --data`;
  }
  if (/not found|ENOENT|could not determine executable|canceled/i.test(engineOutput)) {
    return (
      'There is no DynamoDB engine for this platform: run npm ci on linux-x64, put dynoxide into node_modules, ' +
      'or name a running DynamoDB in DYNAMODB_ENDPOINT'
    );
  }
  return `dynoxide ended at its start: ${engineOutput.trim() || 'it printed no reason'}`;
}
