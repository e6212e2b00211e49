import type { Assistant } from '../../src/contract/assistants.ts';
import { generateServerSecret, requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';

export function addTo(secret: CliCommand): void {
  secret
    .command('generate <site_id>')
    .description('generate the server secret of an assistant and print it once')
    .examples('va-wave secret generate site_… > server-secret.txt')
    .withDeployment(async (commandRun, siteId: string) => {
      await generate(await requireAssistant(siteId, commandRun.context), false, commandRun);
    });

  secret
    .command('regenerate <site_id>')
    .description('replace the server secret: the old one stops working at once')
    .examples('va-wave secret regenerate site_… --yes')
    .withDeployment(async (commandRun, siteId: string) => {
      const assistant = await requireAssistant(siteId, commandRun.context);
      if (assistant.server_secret !== undefined) {
        const which = `the secret of ${siteId} that ends in ${assistant.server_secret.last_six}`;
        await commandRun.confirm(`Replace ${which}? It stops working at once.`);
      }
      await generate(assistant, true, commandRun);
    });
}

/** Generates the secret of the assistant as it was read: a change since then, such as another secret, is a 409. */
async function generate(assistant: Assistant, regenerate: boolean, { output, context }: ConnectedRun): Promise<void> {
  // The command selects the mode, as the Deploy tab does, so that a live site has its secret before the mode is saved.
  const options = { regenerate, authentication_mode: 'Session Signed' } as const;
  const { serverSecret } = await generateServerSecret(assistant, options, context);
  output.secret(
    { site_id: assistant.site_id, server_secret: serverSecret },
    serverSecret,
    'The service stores only its hash, so it cannot be shown again. Keep it on the server, never in a page, a repository or a log.',
  );
}
