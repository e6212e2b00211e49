import type { Command } from 'commander';
import { rotateOriginSecret } from '../../src/domain/operations/rotate-origin-secret.ts';
import { confirmed, type Run } from '../session.ts';

/** The service's own keys. The keys of session tokens rotate by themselves. */
export function addKeysCommands(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description("the service's own keys; those of session tokens rotate by themselves");

  keys
    .command('rotate-origin')
    .description('give the origin secret a new value; it and the former one are accepted until the next rotation')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Finish one rotation before the next: deploy with the version id that this prints, so that the distribution sends the new
value. A value that is neither the current nor the previous one is not accepted: no request is refused for it, but
visitors then share one address.

Example:
  va-wave keys rotate-origin && npx cdk deploy -c originSecretVersion=<version id>`,
    )
    .action((options: { yes?: true }) =>
      run(async (session) => {
        const ports = await session.deployment();
        await confirmed(session, options.yes, 'Replace the origin secret? The last rotation must have been deployed.');
        const rotated = await rotateOriginSecret(ports);
        session.output.object(rotated, 'Replaced the origin secret', [['version_id', rotated.version_id]]);
        session.output.note(`Now: npx cdk deploy -c originSecretVersion=${rotated.version_id}`);
      }),
    );
}
