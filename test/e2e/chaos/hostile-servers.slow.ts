import { HOSTILE_SERVERS } from '../../adapters/outbound/hostile-servers.ts';
import { stopReceivers } from '../../adapters/outbound/receiver.ts';
import { runHostileBatch } from '../../adapters/outbound/run-hostile-batch.ts';
import { createTestNetwork, type TestNetwork } from '../../adapters/outbound/test-network.ts';

/** Part of a core that Lambda gives a function of 512 MB. */
const LAMBDA_SHARE = 0.29;

let network: TestNetwork;
beforeAll(async () => {
  network = await createTestNetwork();
});
afterEach(stopReceivers);
afterAll(() => network.stop());

test.each(HOSTILE_SERVERS)(
  'with the CPU that Lambda gives, a victim in a batch with nine deliveries to $name succeeds',
  async ({ start }) => {
    const report = await runHostileBatch(network, await start(network.authority), LAMBDA_SHARE);
    expect(report).toMatchObject({ status: 200, failure: null });
  },
);
