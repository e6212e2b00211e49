import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { startStorage } from '../../../bench/setting/bench-storage.ts';
import { serviceOf } from '../../../bench/setting/functions.ts';
import { members } from '../../../src/adapters/dynamodb/memberships.ts';
import type { Role } from '../../../src/contract/organizations.ts';
import { createAssistant } from '../../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../../src/domain/organizations/manage-organizations.ts';
import { createAction, generateServerSecret } from '../../fakes/saves.ts';
import { keptEnvironment } from '../../harness/environment.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { startReceiver } from '../acceptance/receiver.ts';

export type HttpFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** Starts the deployed functions' bundles in this process. */
export async function startChaos() {
  const restoreEnvironment = keptEnvironment();
  const receiver = await startReceiver();
  const service = serviceOf(await serviceAssembly());
  const storage = await startStorage(temporaryFolder(), service);
  const environment = { ...storage.environment, VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile };
  let imports = 0;

  /** Loads a new container of a function, with empty caches. */
  const container = async <Handler>(name: string): Promise<Handler> => {
    const bundle = service.bundleOf(name);
    Object.assign(process.env, environment);
    const loaded: { handler: Handler } = await import(`${pathToFileURL(bundle).href}?container=${imports++}`);
    return loaded.handler;
  };

  const { management } = storage;
  const { org_id: orgId } = await createOrganization({ name: 'Chaos', plan: 'paid' }, management);
  const site = { name: 'Chaos', domain: 'shop.example.com', hourly_rate_limit: 1_000_000 };
  const open = await createAssistant(orgId, { ...site, allowed_domains: ['shop.example.com'] }, management);
  const signed = await createAssistant(orgId, { ...site, authentication_mode: 'Session Signed' }, management);
  const { serverSecret } = await generateServerSecret(signed.site_id, { regenerate: false }, management);
  return {
    receiver,
    container,
    orgId,
    siteId: open.site_id,
    serverSecret,
    management,
    join: (org_id: string, sub: string, role: Role) =>
      members(storage.dynamo, storage.configurationTable).save({
        org_id,
        sub,
        role,
        email: `${sub}@shop.example.com`,
        created_at: '2026-01-01T00:00:00.000Z',
      }),
    createAction: (input: object) => createAction(open.site_id, input, management),
    stop: async () => {
      restoreEnvironment();
      await storage.stop();
      await receiver.stop();
    },
  };
}

export type Chaos = Awaited<ReturnType<typeof startChaos>>;
