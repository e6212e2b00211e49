import { createAssistant, generateServerSecret } from '../../src/domain/organizations/manage-assistants.ts';
import { createOrganization } from '../../src/domain/organizations/manage-organizations.ts';
import type { ContenderSettings } from '../delivery/contender.ts';
import { type Entrant, runContenders } from '../delivery/run-contenders.ts';
import type { Goal, Section } from '../report.ts';
import { startCountingProxy } from '../setting/counting-proxy.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { type Storage, startStorage } from '../setting/storage.ts';

const AT_ONCE = 10;

/** Measures session create and widget init in their deployed bundles. */
export async function requests(folder: string): Promise<Section> {
  const storage = await startStorage(folder);
  const proxy = await startCountingProxy(storage.origin);
  try {
    const functions = await bundledFunctions(folder, false);
    const sites = await twoSites(storage);
    const entrant = (name: string, bundle: string, more: Partial<ContenderSettings>): Entrant => ({
      name,
      module: new URL('./http-function.ts', import.meta.url),
      settings: {
        url: '',
        authorityFile: '',
        atOnce: AT_ONCE,
        bodyBytes: 0,
        bundle: bundleOf(functions, bundle),
        ...more,
      },
      environment: storage.environment,
    });
    const entrants: Entrant[] = [
      entrant('session create', 'session-create', { serverSecret: sites.serverSecret }),
      entrant('widget init', 'widget-init', { siteId: sites.siteId }),
    ];
    const counted: Awaited<ReturnType<typeof callsOf>>[] = [];
    for (const one of entrants) counted.push(await callsOf(one, proxy));
    const standings = await runContenders(entrants, { rounds: 5, seconds: 2 });
    return {
      title: 'Requests',
      method: `One container handles ${AT_ONCE} concurrent requests, which shows its capacity; Lambda sends one request at a time to a container. DynamoDB
runs on the same machine. Each request has a new visitor with a new conversation. A proxy in front of DynamoDB counts the calls of single
requests; the figures are medians of 20.`,
      tables: [
        {
          columns: ['Request', 'requests/s', 'CPU ms', 'DynamoDB calls', 'sequential round trips', 'operations'],
          rows: standings.map(({ name, perSecond, cpuMsPerDelivery }, index) => {
            const calls = counted[index];
            return [
              name,
              perSecond,
              cpuMsPerDelivery,
              calls?.operations.length ?? 0,
              calls?.roundTrips ?? 0,
              calls?.operations.join(', ') ?? '',
            ];
          }),
        },
      ],
      goals: counted.map(
        ({ roundTrips }, index): Goal => ({
          name: `Sequential DynamoDB round trips of ${entrants[index]?.name}`,
          goal: '≤ 2',
          found: String(roundTrips),
          met: roundTrips <= 2,
        }),
      ),
    };
  } finally {
    proxy.stop();
    await storage.stop();
  }
}

/** Counts the calls of single requests, which run in this process and use the proxy. */
async function callsOf({ settings, environment }: Entrant, proxy: Awaited<ReturnType<typeof startCountingProxy>>) {
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: proxy.origin });
  const { start } = await import('./http-function.ts');
  const contender = await start({ ...settings, atOnce: 1 });
  const one = async () => {
    let asked = 0;
    await contender.run(() => asked++ > 0);
    return proxy.take();
  };
  const all = [];
  for (let request = 0; request < 20; request++) all.push(await one());
  all.sort((a, b) => a.roundTrips - b.roundTrips);
  return all[10] ?? { operations: [], roundTrips: 0 };
}

async function twoSites({ management }: Storage) {
  const { org_id } = await createOrganization({ name: 'Bench', plan: 'paid' }, management);
  const site = { name: 'Bench', domain: 'shop.example.com', hourly_rate_limit: 1_000_000 };
  const { site_id: siteId } = await createAssistant(
    org_id,
    { ...site, allowed_domains: ['shop.example.com'] },
    management,
  );
  const signed = await createAssistant(org_id, { ...site, authentication_mode: 'Session Signed' }, management);
  const { serverSecret } = await generateServerSecret(signed.site_id, { regenerate: false }, management);
  return { siteId, serverSecret };
}
