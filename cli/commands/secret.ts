import type { Command } from 'commander';
import { generateServerSecret, requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import type { ConnectedRun, Run } from '../command-run.ts';

/** Adds the commands for server secrets, with which a customer's backend mints session tokens. */
export function addTo(secret: Command, run: Run): void {
  secret
    .command('generate <site_id>')
    .description('generate the server secret of an assistant and print it once')
    .addHelpText('after', '\nExample:\n  va-wave secret generate site_… > server-secret.txt')
    .action(run((commandRun, siteId: string) => generate(siteId, false, commandRun)));

  secret
    .command('regenerate <site_id>')
    .description('replace the server secret: the old one stops working at once')
    .addHelpText('after', '\nExample:\n  va-wave secret regenerate site_… --yes')
    .action(
      run(async (commandRun, siteId: string) => {
        const { server_secret } = await requireAssistant(siteId, commandRun.ports);
        if (server_secret !== undefined) {
          const which = `the secret of ${siteId} that ends in ${server_secret.last_six}`;
          await commandRun.confirm(`Replace ${which}? It stops working at once.`);
        }
        await generate(siteId, true, commandRun);
      }),
    );
}

async function generate(siteId: string, regenerate: boolean, { output, ports }: ConnectedRun): Promise<void> {
  const { serverSecret } = await generateServerSecret(await requireAssistant(siteId, ports), { regenerate }, ports);
  output.secret(
    { site_id: siteId, server_secret: serverSecret },
    serverSecret,
    'The service stores only its hash, so it cannot be shown again. Keep it on the server, never in a page, a repository or a log.',
  );
}
