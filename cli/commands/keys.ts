import type { Command } from 'commander';
import { reseal } from '../../src/domain/operations/reseal.ts';
import { revokeTokenKeys } from '../../src/domain/operations/revoke-token-keys.ts';
import { rotateOriginSecret } from '../../src/domain/operations/rotate-origin-secret.ts';
import { confirmed, type Run } from '../command-run.ts';

/** Adds the commands for the service's own keys. The keys of session tokens rotate automatically. */
export function addKeysCommands(keys: Command, run: Run): void {
  keys
    .command('reseal')
    .description('replace the sealing key, and seal every signing secret with the new one; takes at least six minutes')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
The command adds a key, waits until every function has loaded it, and seals the signing secret of every Action with it. Then it removes
the old key. The service refuses no request during this time. An admin who saves an Action at the same moment must reload it.
After an interruption, run the command again to continue.

Example:
  va-wave keys reseal`,
    )
    .action((options: { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        await confirmed(commandRun, options.yes, 'Replace the sealing key?');
        commandRun.output.object(await reseal(ports), 'Replaced the sealing key');
      }),
    );

  keys
    .command('rotate-origin')
    .description(
      'give the origin secret a new value; the service accepts it and the previous value until the next rotation',
    )
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
Finish the rotation: deploy with the version id that this command prints, so that the distribution sends the new value. Until then,
the command refuses the next rotation, because the service accepts only the current and the previous value.

Example:
  va-wave keys rotate-origin && npx cdk deploy -c originSecretVersion=<version id>`,
    )
    .action((options: { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        await confirmed(commandRun, options.yes, 'Replace the origin secret?');
        const rotated = await rotateOriginSecret(ports);
        commandRun.output.object(rotated, 'Replaced the origin secret');
        commandRun.output.note(`Next, run: npx cdk deploy -c originSecretVersion=${rotated.version_id}`);
      }),
    );

  keys
    .command('revoke')
    .description('replace all keys of session tokens at once after a leak: all tokens become invalid')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
All existing session tokens become invalid within five minutes, and widgets ask their page for a new one. During this time, containers
that still sign with an old key can mint tokens that become invalid as well. Afterwards nothing else is necessary: the keys continue
to rotate automatically.

Example:
  va-wave keys revoke`,
    )
    .action((options: { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        await confirmed(commandRun, options.yes, 'End every session token?');
        commandRun.output.object(await revokeTokenKeys(ports), 'Revoked the token keys');
      }),
    );
}
