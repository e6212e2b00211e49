import type { Command } from 'commander';
import { examineAccount } from '../../src/domain/operations/examine-account.ts';
import type { Run } from '../command-run.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { DEFAULT_STACK } from '../process.ts';
import { positive } from '../values.ts';

/** Adds the command that checks an AWS account before the first deployment. */
export function addDoctorCommand(command: Command, run: Run): void {
  command
    .addHelpText(
      'after',
      `
The command changes nothing. It can check neither whether AWS has verified a new account for CloudFront, nor the permissions that a
deployment needs.

Examples:
  va-wave doctor --region eu-west-1
  va-wave doctor --deliveries-per-second 10000`,
    )
    .option(
      '--deliveries-per-second <number>',
      'the peak that the deployment is for, as its option deliveriesPerSecond',
      positive,
    )
    .action(({ deliveriesPerSecond }: { deliveriesPerSecond?: number }) =>
      run(async ({ cliProcess, target, output }) => {
        output.doing('Checking the account');
        const examined = examineAccount(await cliProcess.examinedAccount(target), {
          stackName: target.stack ?? DEFAULT_STACK,
          deliveriesPerSecond,
        });
        output.list(
          examined,
          'Nothing to check',
          examined.map(({ check, ok, found, advice }) => ({ check, found, '': ok ? 'ok' : advice })),
        );
        const missing = examined.filter(({ ok }) => !ok);
        if (missing.length > 0) {
          throw new CommandFailure(EXIT.refused, `To do first: ${missing.map(({ check }) => check).join(', ')}`);
        }
      }),
    );
}
