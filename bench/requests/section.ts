import { createAssistant, generateServerSecret } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import { type Entrant, runContenders } from '../delivery/run-contenders.ts';
import type { Section } from '../report.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { startStorage } from '../setting/storage.ts';

const AT_ONCE = 10;

/** Measures session create and widget init in their deployed bundles. */
export async function requests(folder: string): Promise<Section> {
  const storage = await startStorage(folder);
  const { management, environment } = storage;
  try {
    const { org_id } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
    const site = { name: 'Bench', domain: 'shop.example.com', hourly_rate_limit: 1_000_000 };
    const open = await createAssistant(org_id, { ...site, allowed_domains: ['shop.example.com'] }, management);
    const signed = await createAssistant(org_id, { ...site, authentication_mode: 'Session Signed' }, management);
    const { serverSecret } = await generateServerSecret(signed.site_id, { regenerate: false }, management);
    const functions = await bundledFunctions(folder, false);
    const entrant = (name: string, bundle: string, headers: object): Entrant => ({
      name,
      module: new URL('./http-function.ts', import.meta.url),
      settings: { bundle: bundleOf(functions, bundle), headers, atOnce: AT_ONCE },
      environment,
    });
    const standings = await runContenders(
      [
        entrant('session create', 'session-create', { 'x-server-key': serverSecret }),
        entrant('widget init', 'widget-init', { 'x-site-id': open.site_id, origin: 'https://shop.example.com' }),
      ],
      { rounds: 5, seconds: 2 },
    );
    return {
      title: 'Requests',
      method: `One container handles ${AT_ONCE} concurrent requests, which shows its capacity; Lambda sends one request at a time to a container. DynamoDB
runs on the same machine. Each request has a new visitor with a new conversation.`,
      tables: [
        {
          columns: ['Request', 'requests/s', 'CPU ms'],
          rows: standings.map(({ name, perSecond, cpuMsPerDelivery }) => [name, perSecond, cpuMsPerDelivery]),
        },
      ],
    };
  } finally {
    await storage.stop();
  }
}
