import { capacityFor, deliveriesFor, USUAL_ACCOUNT_CONCURRENCY } from '../../src/deployment/capacity.ts';
import { busQuotas, UNSUPPORTED_REGION } from '../../src/deployment/regions.ts';
import type { CliCommand } from '../command.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { type AccountState, DEFAULT_STACK } from '../process.ts';
import { positive } from '../values.ts';

/** The stack that `cdk bootstrap` makes unless it gets another name. */
const DEFAULT_TOOLKIT = 'CDKToolkit';

type Options = {
  /** The load that the deployment is for; undefined for that of the stack's defaults. */
  readonly deliveriesPerSecond?: number;
  readonly toolkitStackName: string;
};

export function addTo(command: CliCommand): void {
  command
    .option(
      '--deliveries-per-second <number>',
      'the peak that the deployment is for, as its option deliveriesPerSecond',
      positive,
    )
    .option('--toolkit-stack-name <name>', 'the stack of cdk bootstrap, as its option of this name', DEFAULT_TOOLKIT)
    .notes(`The command changes nothing. It can check neither whether AWS has verified a new account for CloudFront, nor the permissions that a
deployment needs.`)
    .examples('va-wave doctor --region eu-west-1', 'va-wave doctor --deliveries-per-second 10000')
    .alone(async ({ cliProcess, target, output, mfaCode }, options: Options) => {
      output.showProgress('Checking the account');
      const account = await cliProcess.accountState(target, options.toolkitStackName, mfaCode);
      const checks = examineAccount(account, target.stack ?? DEFAULT_STACK, options);
      output.list(
        checks,
        'Nothing to check',
        checks.map(({ check, ok, found, advice }) => ({ check, found, '': ok ? 'ok' : advice })),
      );
      const failedChecks = checks.filter(({ ok }) => !ok);
      if (failedChecks.length > 0) {
        throw new CommandFailure(EXIT.refused, `To do first: ${failedChecks.map(({ check }) => check).join(', ')}`);
      }
    });
}

/** The usual quota of write units for one table on demand. */
export const USUAL_TABLE_WRITES = 40_000;
/** States of a stack that cannot be updated. */
const FAILED = /^(ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED|DELETE_FAILED|UPDATE_ROLLBACK_FAILED)$/;

/** Checks whether a deployment can begin, and says what to do when it cannot. The reasons are in docs/deploying.md. */
function examineAccount(
  account: AccountState,
  stackName: string,
  { deliveriesPerSecond: load, toolkitStackName }: Options,
) {
  const { region, toolkit, concurrency, tableWriteUnits, stack, version } = account;
  const needs = load === undefined ? undefined : capacityFor(load);
  const executions = needs?.account ?? USUAL_ACCOUNT_CONCURRENCY;
  const { events, requests } = busQuotas(region);
  const adviceBegins =
    load === undefined
      ? `Deploy with -c accountConcurrency=${concurrency}, and`
      : `${load} deliveries a second need more:`;
  const checkOf = (check: string, ok: boolean, actualValue: string | number, advice: string) => ({
    check,
    ok,
    found: String(actualValue),
    advice: ok ? '' : advice,
  });
  const quota = (
    check: string,
    actualNumber: number | undefined,
    neededNumber: number,
    permission: string,
    advice: string,
  ) =>
    actualNumber === undefined
      ? checkOf(check, false, 'unknown', `Allow ${permission}, and run this command again`)
      : checkOf(check, actualNumber >= neededNumber, actualNumber, advice);
  return [
    checkOf('region', !UNSUPPORTED_REGION.test(region), region, 'Choose another region: this one is not supported'),
    checkOf(
      'cdk bootstrap',
      toolkit !== undefined && !FAILED.test(toolkit),
      toolkit ?? 'not done',
      `Run npx cdk bootstrap${toolkitStackName === DEFAULT_TOOLKIT ? '' : ` --toolkit-stack-name ${toolkitStackName}`} in ${region}`,
    ),
    quota(
      'concurrent executions',
      concurrency,
      executions,
      'lambda:GetAccountSettings',
      `${adviceBegins} request ${executions} from AWS (Service Quotas, Lambda, Concurrent executions)`,
    ),
    quota(
      'write units of a table',
      tableWriteUnits,
      needs?.logWrites ?? USUAL_TABLE_WRITES,
      'dynamodb:DescribeLimits',
      `Enough for ${deliveriesFor(tableWriteUnits ?? 0)} deliveries a second; request a higher quota from AWS before you need it`,
    ),
    checkOf(
      'events per second',
      (load ?? 0) <= events,
      events,
      'The default of this region delays more. See yours: aws service-quotas get-service-quota --service-code events --quota-code L-5540C5E3',
    ),
    // A platform may put ten events in each, so more events than requests need nothing.
    checkOf('PutEvents per second', true, requests, ''),
    checkOf(
      `stack ${stackName}`,
      stack === undefined || !FAILED.test(stack),
      [stack ?? 'not deployed yet', version].filter((part) => part !== undefined).join(', '),
      'Clean up as described in docs/deploying.md, then deploy again',
    ),
  ];
}
