import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EVENT_RETRY_DELAYS_SECONDS } from '../../src/contract/limits.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import type { DemoCloud } from '../demo-cloud.ts';
import { addReadyUsers, READY_USERS } from '../ready-users.ts';
import type { ReceiverCertificates } from '../receiver-certificates.ts';
import { Feed } from './feed.ts';
import { recall, remember } from './memory.ts';
import { operatorOf } from './operator.ts';
import { demoActions, demoOrganization } from './organization.ts';
import { startReceiver } from './receiver.ts';
import { startSite } from './site.ts';

export type RunningDemo = {
  /** What a visitor may open, by name. Printed, and written to the ready file. */
  readonly urls: Readonly<Record<string, string>>;
  /** What to try next, one line each. */
  readonly tips: readonly string[];
  stop(): Promise<void>;
};

/**
 * Starts the demo's customer, with a website, a members' area, a backend and a TLS receiver.
 * @param fail how many requests of each event the receiver answers with 503 before it accepts one
 * @param certificates of the receiver; the cloud trusts their authority
 */
export async function startDemo(
  cloud: DemoCloud,
  { fail, certificates }: { readonly fail: number; readonly certificates: ReceiverCertificates },
): Promise<RunningDemo> {
  const folder = join(cloud.dataDir, 'demo');
  const memory = recall(folder);
  const feed = new Feed();
  const operator = operatorOf(cloud);
  await using stops = new AsyncDisposableStack();
  const usageSecret = randomBytes(32).toString('hex');
  const receiver = await startReceiver({ certificates, preferredPort: memory.ports.receiver, fail, feed, usageSecret });
  stops.defer(receiver.stop);
  const receiverUrl = `https://localhost:${receiver.port}`;
  const site = await startSite({ cloud, feed, operator, receiverUrl, usageSecret, fail }, memory.ports.site);
  stops.defer(site.stop);
  const ports = { site: site.port, receiver: receiver.port };
  const organization = await demoOrganization(memory.organization, site.host, operator);
  remember(folder, { ports, organization });
  await addReadyUsers(cloud, organization.org_id);
  const actions = await demoActions(organization, receiverUrl, operator);
  for (const [path, action] of actions) {
    receiver.actions.set(path, {
      id: action.action_id,
      name: action.name,
      signingSecret: await operator.signingSecretOf(action),
    });
  }
  site.open(organization);
  const url = `http://${site.host}`;
  const started = stops.move();
  return {
    urls: {
      site: `${url}/`,
      members: `${url}/members`,
      receiver: receiverUrl,
      dashboard: cloud.outputs[OUTPUTS.dashboardUrl] ?? '',
    },
    tips: [
      `Open ${url}/ , click the round button, ask where order 1001 is, and watch the signed requests arrive on the page.`,
      `Open ${url}/members for the other authentication mode, with a token that the site's backend creates.`,
      `For the command line: organization ${organization.org_id}, website ${organization.website_site_id}, members ${organization.members_site_id}.`,
      `Log in to the dashboard as ${READY_USERS.map(({ email, password }) => `${email} / ${password}`).join(', or as ')}.`,
      `Open http://127.0.0.1:${site.port}/ to see that the same page has no widget under a host that is not allowed.`,
      ...(fail === 0
        ? [
            `Restart with --demo-fail 2 to see an event retried after ${EVENT_RETRY_DELAYS_SECONDS.join(' and ')} seconds.`,
          ]
        : []),
    ],
    stop: () => started.disposeAsync(),
  };
}
