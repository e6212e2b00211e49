import { until } from '../../harness/until.ts';
import { documentedCommands } from '../../unit/docs/documented-commands.ts';
import { operatorOf } from '../acceptance/operator.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';
import { runCdk } from './ministack.ts';

/**
 * A release with `gradual` that CodeDeploy takes back, and the way out of docs/deploying.md. The emulator has no CodeDeploy: a wait condition takes
 * its part after the aliases have their new versions, and a signal of failure that of an alarm. What CodeDeploy itself does is not here: it
 * shifts no traffic, refuses no deployment while an alarm is raised, and its own rollback cannot fail.
 */

const APP = 'node test/service/deploy/app.ts';
const RELEASES = documentedCommands('docs/deploying.md').filter(({ heading }) => heading === 'Releases');
/** The words of a command of the page, behind `npx cdk` or `aws`. */
const wordsOf = (pattern: RegExp) =>
  (RELEASES.find(({ text }) => pattern.test(text))?.text ?? `npx cdk no-${pattern}`)
    .replace(/^(?:npx cdk|aws) /, '')
    .split(' ');
const GRADUALLY = ['deploy', '-c', 'gradual=true'];

describeEmulated('a gradual release', (account) => {
  const cdk = ([verb = '', ...words]: readonly string[], app = APP) =>
    runCdk(account.ministack, account.folder, [verb, '--require-approval', 'never', ...words], app);
  const live = async () => {
    const { physical } = await deployedService(account.ministack, 'VaWave');
    const asked = ['lambda', 'get-alias', '--name', 'live', '--query', 'FunctionVersion', '--output', 'text'];
    const name = physical('DeliveriesDispatcherFunction');
    return Number(await account.ministack.aws([...asked, '--function-name', name]));
  };
  const operator = async () => {
    const { url: gatewayUrl, region, credentials } = account.ministack;
    const { outputs } = await deployedService(account.ministack, 'VaWave');
    return operatorOf({ gatewayUrl, region, credentials, outputs });
  };

  beforeAll(async () => {
    await account.bootstrap();
    await cdk(GRADUALLY);
  });

  test('that an alarm ends leaves the version before, its addresses and the data', async () => {
    const { outputs } = await deployedService(account.ministack, 'VaWave');
    await (await operator()).createOrganization('Kept', 'paid');
    expect(await live()).toBe(1);
    const release = cdk([...GRADUALLY, '-c', 'tracing=true'], `EMULATED_RELEASE=Bad ${APP}`).then(
      () => 'released',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );
    await until(async () => (await live()) === 2, 600_000);
    const alarm = ['cloudformation', 'signal-resource', '--stack-name', 'VaWave', '--logical-resource-id', 'Bad'];
    await until(
      () =>
        account.ministack.aws([...alarm, '--unique-id', 'alarm', '--status', 'FAILURE']).then(
          () => true,
          () => false,
        ),
      600_000,
    );
    expect(await release).toMatch(/failed to deploy/);
    expect(await live()).toBe(1);
    expect((await deployedService(account.ministack, 'VaWave')).outputs).toEqual(outputs);
    // The rollback itself did not fail.
    const goOn = account.ministack.aws(wordsOf(/continue-update-rollback/));
    await expect(goOn).rejects.toThrow('cannot be called from current stack status');
  });

  test('has a way out that gives every function the fix at once, and back to gradual releases', async () => {
    await cdk([...wordsOf(/gradual=without-alarms/), '-c', 'tracing=true']);
    const fixed = await live();
    expect(fixed).toBeGreaterThan(1);
    await cdk([...GRADUALLY, '-c', 'tracing=true']);
    expect(await live()).toBe(fixed);
    const ran = await (await operator()).createOrganization('Fixed', 'paid');
    expect(ran).toMatch(/^org_/);
  });
});
