import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRedis } from '../one-machine/targets/databases.ts';

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
  const { port, stop } = await startRedis(folder);
  return { redisPort: port, stop };
}
