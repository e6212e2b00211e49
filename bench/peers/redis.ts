import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const QUEUE_WORKER = new URL('./queue-worker.mjs', import.meta.url);

export type Peers = { readonly redisPort: number; readonly stop: () => Promise<void> };

/**
 * Starts Redis on a free port, and installs BullMQ in this folder on first use. Redis appends every write to a file and syncs the file
 * once a second, as its documentation advises for durable data.
 * @returns `missing` with the reason when one of them is not available
 */
export async function startPeers(folder: string): Promise<Peers | { readonly missing: string }> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    return { missing: 'redis-server is not installed (Debian: apt-get install redis-server)' };
  }
  if (!existsSync(`${HERE}node_modules/bullmq`)) {
    try {
      await promisify(execFile)('npm', ['install', '--no-package-lock', '--ignore-scripts'], { cwd: HERE });
    } catch {
      return { missing: 'BullMQ could not be installed from the package registry' };
    }
  }
  const redisPort = await freePort();
  const settings = [
    '--bind',
    '127.0.0.1',
    '--port',
    `${redisPort}`,
    '--dir',
    folder,
    '--appendonly',
    'yes',
    '--save',
    '',
  ];
  const redis = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(redis, 'exit');
  for await (const text of redis.stdout) if (String(text).includes('Ready to accept connections')) break;
  if (redis.exitCode !== null) return { missing: 'redis-server ended' };
  return {
    redisPort,
    stop: async () => {
      redis.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
