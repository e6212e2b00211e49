import * as z from 'zod';
import { until } from '../../harness/until.ts';
import { documentedCommands } from '../../unit/docs/documented-commands.ts';
import { type Operator, operatorOf } from '../acceptance/operator.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';
import { runCdk } from './ministack.ts';

/**
 * A release that CodeDeploy takes back while the earlier code is gone from the bucket of the CDK, so that the rollback itself fails, and what
 * docs/deploying.md says for it. As in releases.night.test.ts, a wait condition takes the part of CodeDeploy.
 */

const APP = 'node test/service/deploy/app.ts';
const [GO_ON = ''] = documentedCommands('docs/deploying.md')
  .map(({ text }) => text)
  .filter((text) => text.includes('continue-update-rollback'));
const GRADUALLY = ['-c', 'gradual=true'];

describeEmulated('a release whose rollback fails', (account) => {
  const BUCKET = 's3://cdk-hnb659fds-assets-000000000000-us-east-1/';
  const AWAY = 's3://away/';
  const cdk = (words: readonly string[], app = APP) =>
    runCdk(account.ministack, account.folder, ['deploy', '--require-approval', 'never', ...words], app);
  const aws = (words: readonly string[]) => account.ministack.aws(words);
  const CODE = ['--recursive', '--exclude', '*', '--include', '*.zip', '--quiet'];
  const service = () => deployedService(account.ministack, 'VaWave');
  const stack = async () => {
    const asked = ['cloudformation', 'describe-stacks', '--stack-name', 'VaWave', '--query'];
    const text = await aws([...asked, 'Stacks[0].[StackStatus,StackStatusReason]', '--output', 'json']);
    const [status, reason] = z.tuple([z.string(), z.string().nullable()]).parse(JSON.parse(text));
    return { status, reason };
  };
  const live = async () => {
    const asked = ['lambda', 'get-alias', '--name', 'live', '--query', 'FunctionVersion', '--output', 'text'];
    return Number(await aws([...asked, '--function-name', (await service()).physical('DeliveriesDispatcherFunction')]));
  };
  let subject = { orgId: '', siteId: '', actionId: '' };
  let operator: Operator;
  /** Puts an event. @returns the outcome of its delivery */
  async function outcome() {
    const { orgId, siteId, actionId } = subject;
    const before = (await operator.deliveries(actionId)).length;
    await operator.putEvent({ name: 'message.sent', orgId, siteId, data: {} });
    await until(async () => {
      const records = await operator.deliveries(actionId);
      return records.length > before && records[0]?.state !== 'started';
    }, 60_000);
    const [record] = await operator.deliveries(actionId);
    return record?.error?.code ?? record?.state;
  }

  /** A release with other code, which an alarm ends when the earlier code is no longer in the bucket of the CDK. @returns the resources that are not rolled back */
  async function failingRelease(): Promise<readonly string[]> {
    const before = await live();
    const release = cdk(GRADUALLY, `EMULATED_RULE=strict EMULATED_RELEASE=Bad ${APP}`).then(
      () => 'released',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );
    await until(async () => (await live()) !== before, 600_000);
    await aws(['s3', 'mv', BUCKET, AWAY, ...CODE]);
    const alarm = ['cloudformation', 'signal-resource', '--stack-name', 'VaWave', '--logical-resource-id', 'Bad'];
    await until(
      () =>
        aws([...alarm, '--unique-id', 'alarm', '--status', 'FAILURE']).then(
          () => true,
          () => false,
        ),
      600_000,
    );
    const told = await release;
    expect(told).toMatch(/failed to deploy/);
    const { status, reason } = await stack();
    expect(status).toBe('UPDATE_ROLLBACK_FAILED');
    return /\[(.*?)\]/.exec(reason ?? '')?.[1]?.split(', ') ?? [];
  }
  async function goOn(...skipped: readonly string[]) {
    await aws([...GO_ON.split(' ').slice(1), ...(skipped.length === 0 ? [] : ['--resources-to-skip', ...skipped])]);
    await until(async () => !(await stack()).status.endsWith('IN_PROGRESS'), 120_000);
    return (await stack()).status;
  }

  beforeAll(async () => {
    await account.bootstrap();
    await cdk(GRADUALLY);
    await aws(['s3', 'mb', 's3://away']);
    const { url: gatewayUrl, region, credentials } = account.ministack;
    operator = operatorOf({ gatewayUrl, region, credentials, outputs: (await service()).outputs });
    const orgId = await operator.createOrganization('Kept', 'paid');
    const siteId = await operator.createAssistant(orgId, { domain: 'a.example', hourlyRateLimit: 1000 });
    const url = account.receiver.url('/kept');
    const events = ['message.sent'];
    subject = {
      ...{ orgId, siteId },
      actionId: await operator.createAction(siteId, { trigger: 'Event', name: 'Kept', url, events }),
    };
    expect(await outcome()).toBe('succeeded');
  });

  test('goes on when the cause has ended, and leaves the version before and the data', async () => {
    const failed = await failingRelease();
    expect(failed).not.toEqual([]);
    await aws(['s3', 'rm', BUCKET, ...CODE]);
    expect(await goOn()).toBe('UPDATE_ROLLBACK_FAILED');
    await aws(['s3', 'mv', AWAY, BUCKET, ...CODE]);
    expect(await goOn()).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await live()).toBe(1);
    expect(await outcome()).toBe('succeeded');
    await cdk([...GRADUALLY, '-c', 'tracing=true']);
    expect(await outcome()).toBe('succeeded');
    await cdk(GRADUALLY);
  });

  test('goes on without the resources to skip, which the next release with other code mends', async () => {
    const before = await live();
    const failed = await failingRelease();
    expect(await goOn(...failed)).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await live()).toBe(before);
    expect(await outcome()).toBe('succeeded');
    await cdk(GRADUALLY, `EMULATED_RULE=strict ${APP}`);
    expect(await outcome()).toBe('blocked_address');
    await cdk(GRADUALLY);
    expect(await outcome()).toBe('succeeded');
  });
});
