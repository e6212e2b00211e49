import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, type Program, runProgram, startProgram, subfolder } from './programs.ts';

/** A database or message broker that listens on 127.0.0.1. */
export type Database = Program & { readonly port: number };

/** Starts Redis. It appends every write to a file and syncs the file once a second. */
export async function startRedis(folder: string): Promise<Database> {
  const port = await freePort();
  const data = subfolder(folder, 'redis');
  const settings = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', data, '--appendonly', 'yes', '--save', ''];
  const program = await startProgram('redis', ['redis-server', ...settings], folder, () => accepts(port));
  return { ...program, port };
}

/**
 * Starts PostgreSQL with its default settings, a user `bench` without a password and a database `bench`. PostgreSQL refuses to run as
 * root, so root starts it as the user `postgres`.
 */
export async function startPostgres(folder: string): Promise<Database> {
  const port = await freePort();
  const data = subfolder(folder, 'postgres');
  const user = postgresUser();
  if (user !== undefined) {
    // The folder above belongs to root, and the user must be able to enter it.
    chmodSync(folder, 0o755);
    chownSync(data, user.uid, user.gid);
  }
  runProgram(['initdb', '--pgdata', data, '--username', 'bench', '--auth', 'trust', '--no-sync'], user);
  const settings = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', data, '-c', 'max_connections=200'];
  const isReady = async () => runProgram(['pg_isready', '-h', '127.0.0.1', '-p', `${port}`]) !== '';
  const program = await startProgram('postgres', ['postgres', ...settings], folder, isReady, user);
  runProgram(['createdb', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'bench', 'bench']);
  return { ...program, port };
}

/** The user as whom root starts PostgreSQL; undefined for any other user. */
function postgresUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: Number(runProgram(['id', '-u', 'postgres'])), gid: Number(runProgram(['id', '-g', 'postgres'])) };
}

/** Starts RabbitMQ with its default settings and its default user `guest`. */
export async function startRabbitMq(folder: string): Promise<Database> {
  const port = await freePort();
  const distributionPort = await freePort();
  // Erlang's port mapper is a daemon that outlives RabbitMQ.
  const mapperPort = await freePort();
  const home = subfolder(folder, 'rabbitmq');
  const env = {
    ...process.env,
    HOME: home,
    ERL_EPMD_PORT: `${mapperPort}`,
    RABBITMQ_NODENAME: `bench${port}@localhost`,
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_DIST_PORT: `${distributionPort}`,
    RABBITMQ_MNESIA_BASE: subfolder(home, 'data'),
    RABBITMQ_LOG_BASE: subfolder(home, 'log'),
    RABBITMQ_ENABLED_PLUGINS: '',
    RABBITMQ_ENABLED_PLUGINS_FILE: `${home}/plugins`,
    RABBITMQ_PID_FILE: `${home}/pid`,
    // To the program's output, where the end of the start is read.
    RABBITMQ_LOGS: '-',
  };
  // The command in /usr/sbin changes the user, and cannot write to this folder.
  const command = process.env.RABBITMQ_SERVER ?? '/usr/lib/rabbitmq/bin/rabbitmq-server';
  // The port is open before the broker can be used.
  const isComplete = async () => readFileSync(join(folder, 'rabbitmq.log'), 'utf8').includes('Server startup complete');
  const program = await startProgram('rabbitmq', [command], folder, isComplete, { env });
  const stop = async () => {
    await program.stop();
    runProgram(['epmd', '-port', `${mapperPort}`, '-kill']);
  };
  return { ...program, port, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
