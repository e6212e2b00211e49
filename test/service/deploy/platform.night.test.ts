import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { vaWave } from '../../../examples/assistant-runtime/va-wave.ts';
import { cloneInto } from '../../harness/clone.ts';
import { missingProgram, printSkipped } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { operatorWith } from '../acceptance/operator.ts';
import { copiedExample } from '../examples/copied-example.ts';
import { packCdk, packedCdk } from '../packages/cdk/packed-cdk.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';

const PATIENCE_MS = 30_000;
const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const folder = temporaryFolder();

test('the same sources give the same bytes in another folder without a cache', async () => {
  const clone = join(folder, 'clone');
  cloneInto(clone);
  const packed = await packedCdk();
  packCdk(clone, folder);
  const [again = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  expect(readFileSync(join(folder, again)).equals(readFileSync(packed))).toBe(true);
});

describeEmulated('the example of a platform', (account) => {
  let platform: string;
  const started = performance.now();

  const cdk = (app: string, ...words: readonly string[]) =>
    run(process.execPath, ['node_modules/aws-cdk/bin/cdk', ...words, '--app', `"${process.execPath}" ${app}`], {
      cwd: platform,
      env: { ...account.ministack.environment(), HOME: folder },
      maxBuffer: 64 * 1024 ** 2,
    });
  /** The command line of the package, as `npx --no-install va-wave` starts it. */
  const operator = operatorWith(async (...words) => {
    const command = [join(platform, 'node_modules/.bin/va-wave'), ...words, '--stack', 'Platform/Chat', '--json'];
    return JSON.parse((await run(process.execPath, command, { env: account.ministack.environment() })).stdout);
  });

  beforeAll(async () => {
    platform = await copiedExample('platform', join(folder, 'platform'));
  });

  test('synthesizes, and has no finding of cfn-lint', async () => {
    await cdk('app.mjs', 'synth', '--quiet');
    const missing = missingProgram('cfn-lint');
    if (missing !== undefined) return printSkipped('cfn-lint on the template of the example', missing);
    await run('cfn-lint', ['--ignore-checks', 'W3005', '--', 'cdk.out/Platform.template.json'], { cwd: platform });
  });

  test('is deployed from the tarball', async () => {
    writeFileSync(
      join(platform, 'emulated.mjs'),
      `import { App } from 'aws-cdk-lib';
       import { leaveOutUnknown } from ${JSON.stringify(join(root, 'test/service/deploy/emulated.ts'))};
       import { Platform } from './platform.mjs';
       leaveOutUnknown(new Platform(new App(), 'Platform'));`,
    );
    await account.bootstrap();
    await cdk('emulated.mjs', 'deploy', '--require-approval', 'never');
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`From the sources to the deployed example: ${seconds} s\n`);
  });

  test('its runtime calls tools and puts events on its bus, and its queue receives what the service reports', async () => {
    const { aws, outputs } = await deployedService(account.ministack, 'Platform');
    const orgId = await operator.createOrganization('Platform', 'paid');
    const siteId = await operator.createAssistant(orgId, { domain: 'a.example', hourlyRateLimit: 100 });
    const endpoint = { url: 'https://unknown.invalid/hook' };
    const tool = { description: 'Finds an order', parameters: { type: 'object' }, feedBack: false };
    await operator.createAction(siteId, { trigger: 'AI-decided', name: 'find', ...tool, ...endpoint });
    const action = await operator.createAction(siteId, {
      trigger: 'Event',
      name: 'sent',
      events: ['message.sent'],
      ...endpoint,
    });
    const events = new EventBridgeClient(aws);
    const EventBusName = outputs.EventBus ?? '';
    const runtime = vaWave(new LambdaClient({ ...aws, maxAttempts: 1 }), events, {
      aiActionFunction: outputs.AiActionFunction ?? '',
      usageReportFunction: outputs.UsageReportFunction ?? '',
      eventBus: EventBusName,
      orgId,
      siteId,
    });
    expect(await runtime.listTools()).toMatchObject([{ name: 'find' }]);
    await runtime.publish('message.sent', { conversation_id: 'c-1' });
    // The strict network rule of the package finds no address, and the attempt is recorded.
    await until(async () => (await operator.deliveries(action)).length > 0, PATIENCE_MS);

    const DetailType = 'va-wave.endpoint.failing';
    await events.send(
      new PutEventsCommand({ Entries: [{ EventBusName, Source: 'va-wave', DetailType, Detail: '{}' }] }),
    );
    const receive = new ReceiveMessageCommand({ QueueUrl: outputs.ReportsQueue, WaitTimeSeconds: 5 });
    const { Messages = [] } = await new SQSClient(aws).send(receive);
    expect(Messages.map(({ Body = '' }) => JSON.parse(Body)['detail-type'])).toEqual([DetailType]);
  });
});
