import { HOSTILE_SERVERS } from '../adapters/outbound/hostile-servers.ts';
import { runHostileBatch } from '../adapters/outbound/run-hostile-batch.ts';
import { networkOfFile } from '../adapters/outbound/test-network.ts';

/** Part of a core that Lambda gives a function of 512 MB. */
const LAMBDA_SHARE = 0.29;

const network = await networkOfFile();

test.each(HOSTILE_SERVERS)(
  'with the CPU that Lambda gives, a victim in a batch with nine deliveries to $name succeeds',
  async ({ start }) => {
    const report = await runHostileBatch(network, await start(network.authority), LAMBDA_SHARE);
    expect(report).toMatchObject({ status: 200, error: null });
  },
);
