import type { Command } from 'commander';
import { reseal } from '../../src/domain/operations/reseal.ts';
import { revokeTokenKeys } from '../../src/domain/operations/revoke-token-keys.ts';
import { rotateOriginSecret } from '../../src/domain/operations/rotate-origin-secret.ts';
import { confirmed, pauseOrEnd, type Run, steps } from '../session.ts';

/** The service's own keys. The keys of session tokens rotate by themselves. */
export function addKeysCommands(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description("the service's own keys; those of session tokens rotate by themselves");

  keys
    .command('reseal')
    .description('replace the sealing key, and seal every signing secret with the new one; takes at least six minutes')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .addHelpText(
      'after',
      `
Adds a key, waits until every function knows it, seals the signing secret of every Action anew, and drops the old key once
nothing needs it. Nothing is refused meanwhile, but an admin who saves an Action at the same moment is told to read it again.
Interrupted, run it again: it goes on.

Example:
  va-wave keys reseal`,
    )
    .action((options: { yes?: true }) =>
      run(async (session) => {
        const deployment = await session.deployment();
        await confirmed(session, options.yes, 'Replace the sealing key?');
        const ports = {
          ...deployment,
          step: steps(session),
          pause: (milliseconds: number) => pauseOrEnd(session, milliseconds),
        };
        const done = await reseal(ports);
        session.progress.end();
        session.output.object(done, 'Replaced the sealing key', [
          ['kid', done.kid],
          ['sealed anew', String(done.resealed)],
          ['dropped keys', String(done.dropped_keys)],
          ['lost', done.lost.join(', ')],
        ]);
      }),
    );

  keys
    .command('rotate-origin')
    .description('give the origin secret a new value; it and the former one are accepted until the next rotation')
    .option('--yes', 'do not ask; needed where there is no terminal')
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

  keys
    .command('revoke')
    .description('replace every key of session tokens at once, because somebody else may know one: all tokens end')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .addHelpText(
      'after',
      `
Every session token that was minted before ends within five minutes; widgets ask their page for a new one. Meanwhile a
few new tokens may end as well, those of containers that still sign with a former key. Nothing else is needed
afterwards: the keys go on rotating by themselves.

Example:
  va-wave keys revoke`,
    )
    .action((options: { yes?: true }) =>
      run(async (session) => {
        const ports = await session.deployment();
        await confirmed(session, options.yes, 'End every session token?');
        const done = await revokeTokenKeys(ports);
        session.progress.end();
        session.output.object(done, 'Revoked the token keys', [
          ['kid', done.kid],
          ['revoked', done.revoked.join(', ')],
          ['ended_at', done.ended_at],
        ]);
      }),
    );
}
