import { HOSTILE_SERVERS, LONGEST_CHAIN } from '../../test/service/adapters/outbound/hostile-servers.ts';
import { runHostileBatch } from '../../test/service/adapters/outbound/run-hostile-batch.ts';
import { createTestNetwork } from '../../test/service/adapters/outbound/test-network.ts';
import { goals, type Section } from '../report.ts';

/** Part of a core that Lambda gives a function of 512 MB: it gives a whole one at 1 769 MB. */
const LAMBDA_SHARE = 0.29;

/** Measures for how long each hostile server stops the event loop, and how long a victim in the same batch waits. */
export async function hostile(): Promise<Section> {
  await using stops = new AsyncDisposableStack();
  const network = await createTestNetwork();
  stops.defer(network.stop);
  const measurements: [name: string, blockMs: number, victimMs: number][] = [];
  for (const { name, start } of [...HOSTILE_SERVERS, LONGEST_CHAIN]) {
    const server = await start(network.authority);
    const { longestMs } = await runHostileBatch(network, server, 1); // With a whole core, the process is never stopped.
    const { latency_ms, error } = await runHostileBatch(network, server, LAMBDA_SHARE);
    // NaN, where the delivery to the victim failed: no goal is met with it.
    measurements.push([name, longestMs / LAMBDA_SHARE, error === null ? latency_ms : Number.NaN]);
    await server.stop();
  }
  return {
    title: 'Hostile servers',
    method: `A process makes ten deliveries at once: nine to a hostile server, one to a victim that answers at once. The longest block is the most CPU time
between two turns of the event loop, divided by ${LAMBDA_SHARE}, the part of a core that Lambda gives a function of 512 MB. For the victim's latency the process is
stopped for ${Math.round((1 - LAMBDA_SHARE) * 100)} of every 100 ms.`,
    tables: [
      { columns: ['Nine deliveries to', 'longest block, ms', "victim's latency, ms"], rows: measurements },
      goals(
        ['The longest block of all, ms', Math.max(...measurements.map(([, blockMs]) => blockMs)), { max: 50 }],
        ['The latest victim of all, ms', Math.max(...measurements.map(([, , victimMs]) => victimMs)), { max: 5000 }],
      ),
    ],
  };
}
