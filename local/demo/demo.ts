import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { openDeployment } from '../../cli/deployment.ts';
import { closeServer } from '../../cli/receiver.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { OPERATOR_ARN } from '../cloud/account.ts';
import { listenNear } from '../cloud/listener.ts';
import type { LocalCloud } from '../local-cloud.ts';
import { addReadyUsers, demoActions, demoOrganization, READY_USERS } from './demo-organization.ts';
import { startDemoReceiver } from './demo-receiver.ts';
import { demoSite } from './demo-site.ts';

/** Where the site listens unless another program does. */
const SITE_PORT = 8788;

export type RunningDemo = Awaited<ReturnType<typeof startDemo>>;

/** Starts the demo's customer, with a website, a members' area, a backend and a TLS receiver. */
export async function startDemo(cloud: LocalCloud) {
  const { gatewayUrl: endpoint, region, credentials, outputs } = cloud;
  const deployment = openDeployment(outputs, { endpoint, region, credentials }, OPERATOR_ARN);
  await using stops = new AsyncDisposableStack();
  const usageSecret = randomBytes(32).toString('hex');
  const receiver = await startDemoReceiver(cloud.certificate, usageSecret);
  stops.defer(receiver.stop);
  const organization = await demoOrganization(cloud.dataDir, receiver.url, deployment);
  await addReadyUsers(cloud, organization.org_id, deployment);
  for (const [path, action] of await demoActions(organization.org_id, receiver.url, deployment)) {
    receiver.actions.set(path, { ...action, signingSecret: await deployment.openSigningSecret(action) });
  }
  const site = createServer(demoSite({ cloud, deployment, receiver, usageSecret, organization }));
  stops.defer(() => closeServer(site));
  const port = await listenNear(site, SITE_PORT);
  const url = `http://localhost:${port}`;
  const startedParts = stops.move();
  return {
    /** What a visitor may open, by name. Printed, and written to the ready file. */
    urls: {
      site: `${url}/`,
      members: `${url}/members`,
      receiver: receiver.url,
      dashboard: outputs[OUTPUTS.dashboardUrl] ?? '',
    },
    tips: [
      ...(port === SITE_PORT ? [] : [`Another program uses port ${SITE_PORT}, so the site is at port ${port}.`]),
      `Open ${url}/ , press its three buttons, and watch the signed requests arrive on the page.`,
      `Open ${url}/members for the other authentication mode, with a token that the site's backend creates.`,
      `For the command line: organization ${organization.org_id}, website ${organization.website_site_id}, members ${organization.members_site_id}.`,
      `Report usage: curl -fsS ${url}/members/token | npx --no-install va-wave usage report --token @- --input-tokens 120 --output-tokens 48 --local`,
      `Log in to the dashboard as ${READY_USERS.map(({ email, password }) => `${email} / ${password}`).join(', or as ')}.`,
      `Open ${url.replace('localhost', '127.0.0.1')}/ to see that the same page has no widget under a host that is not allowed.`,
    ],
    stop: () => startedParts.disposeAsync(),
  };
}
