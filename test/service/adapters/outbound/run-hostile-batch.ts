import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type Receiver, startAnswering } from './receiver.ts';
import { OK, type TestNetwork } from './test-network.ts';

const report = z.object({
  status: z.number().nullable(),
  error: z.object({ code: z.string() }).nullable(),
  latency_ms: z.number(),
  longestMs: z.number(),
  hostile: z.array(z.string()),
});

/**
 * Delivers nine messages to a hostile server, and one to a victim that answers at once, in one batch of a process of its own.
 * @param share the part of a core that the process gets, as the operating system limits a function; 1 measures the event loop's turns
 */
export async function runHostileBatch(network: TestNetwork, hostile: Receiver, share: number) {
  const victim = await startAnswering(network.identity, OK);
  const settings = {
    hostile: hostile.port,
    victim: victim.port,
    ...network.surroundings,
    measured: share === 1,
  };
  const child = fork(fileURLToPath(new URL('hostile-batch.ts', import.meta.url)), [JSON.stringify(settings)]);
  const pause = `while kill -STOP ${child.pid}; do sleep ${(1 - share) / 10}; kill -CONT ${child.pid} && sleep ${share / 10}; done`;
  const limit = share === 1 ? undefined : spawn('sh', ['-c', pause], { stdio: 'ignore' });
  try {
    const [message] = await once(child, 'message');
    return report.parse(message);
  } finally {
    child.kill('SIGKILL');
    limit?.kill();
    await victim.stop();
  }
}
