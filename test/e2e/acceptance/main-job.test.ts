import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOn } from '../cli/captured-run.ts';
import { type Operator, operatorWith } from './operator.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Prepared, prepare, STEPS, USAGE_SECRET } from './scenario.ts';
import { type StartedService, startService } from './started-service.ts';

/** Starts the service, configures it at the command line and uses it over HTTP, as a new operator does. */
describe('the main job', () => {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-main-job-'));
  let service: StartedService;
  let operator: Operator;
  let receiver: Receiver;
  let prepared: Prepared;

  beforeAll(async () => {
    receiver = await startReceiver();
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, receiver.authorityPem);
    service = await startService(folder, '--no-demo', '--ca', authority);
    operator = operatorWith(commandsOn(service.readyFile));
    prepared = await prepare(operator, receiver);
  });

  afterAll(async () => {
    await service?.interrupt();
    await receiver?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(STEPS))(
    '%s',
    async (_, step) => {
      await step({ operator, service, receiver, prepared });
    },
    40_000,
  );

  test('no call was refused', () => {
    expect(service.output()).not.toContain('AccessDenied');
  });

  test('no log line contains a secret, a token, a signature or a payload', () => {
    const lines = service.logs();
    expect(lines).toContain('"service"');
    const forbidden = [prepared.serverSecret, 'whsec_', 'eyJ', 'v1=', 'zoe@example.com', '"mark"', USAGE_SECRET];
    expect(forbidden.filter((text) => lines.includes(text))).toEqual([]);
  });
});
