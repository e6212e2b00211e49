import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCloud, startLocalCloud } from '../../local/cloud.ts';
import { directOperator } from './direct-operator.ts';
import { localService } from './local-service.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Prepared, prepare, STEPS } from './scenario.ts';

/** The whole service in one process: every step of the scenario through the bundled functions and their own policies. */
describe('the service on one machine', () => {
  const data = mkdtempSync(join(tmpdir(), 'va-wave-acceptance-'));
  let cloud: LocalCloud;
  let receiver: Receiver;
  let prepared: Prepared;

  beforeAll(async () => {
    receiver = await startReceiver();
    const authority = join(data, 'authority.pem');
    writeFileSync(authority, receiver.authorityPem);
    cloud = await startLocalCloud({ data: join(data, 'cloud'), authorities: [authority] });
    prepared = await prepare(directOperator(cloud), receiver);
  }, 60_000);

  afterAll(async () => {
    await cloud?.stop();
    await receiver?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test.each(Object.entries(STEPS))(
    '%s',
    async (_, step) => {
      await step({ operator: directOperator(cloud), service: localService(cloud), receiver, prepared });
    },
    40_000,
  );

  test('no call was refused', () => {
    expect(cloud.denials).toEqual([]);
  });
});
