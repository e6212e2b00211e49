import { createServer } from 'node:http';
import { listenNear } from '../../../local/cloud/listener.ts';
import { demoOrganization } from '../../../local/demo/organization.ts';
import { mintSessionToken, ServerSecretRefused } from '../../../local/demo/session-token.ts';
import { serverSecretMatches } from '../../../src/domain/auth/server-secret.ts';
import { InMemoryConfigurationStore } from '../../fakes/configuration-store.ts';
import { generateServerSecret, updateAssistant } from '../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';

const HOST = 'localhost:8788';

function operator() {
  const store = new InMemoryConfigurationStore();
  const management = {
    store,
    now: new FrozenClock().now,
    randomBytes: countingBytes(),
    sealSigningSecret: async (secret: string) => secret,
  };
  return { management, signingSecretOf: async () => '', publish: async () => {} };
}

test('the demo replaces a regenerated server secret at its next start', async () => {
  const demo = operator();
  const first = await demoOrganization(undefined, HOST, demo);
  expect(await demoOrganization(first, HOST, demo)).toEqual(first);
  const { serverSecret } = await generateServerSecret(first.members_site_id, { regenerate: true }, demo.management);
  const again = await demoOrganization(first, HOST, demo);
  expect([first.server_secret, serverSecret]).not.toContain(again.server_secret);
  const stored = demo.management.store.assistants.get(first.members_site_id)?.server_secret;
  expect(serverSecretMatches(stored, again.server_secret)).toBe(true);
  expect(again).toEqual({ ...first, server_secret: again.server_secret });
});

test('the demo also starts when the assistant no longer uses a server secret', async () => {
  const demo = operator();
  const first = await demoOrganization(undefined, HOST, demo);
  await updateAssistant(first.members_site_id, { authentication_mode: 'Allowed Websites' }, demo.management);
  expect(await demoOrganization(first, HOST, demo)).toEqual(first);
});

test('a refused server secret has its own error', async () => {
  let status = 401;
  const service = createServer((_, response) => response.writeHead(status).end('{"error":"Invalid server key"}'));
  const url = `http://127.0.0.1:${await listenNear(service, 0)}`;
  const usage = { url: 'https://localhost/usage', secret: 'x'.repeat(32) };
  try {
    await expect(mintSessionToken(url, 'ss_x', usage)).rejects.toThrow(ServerSecretRefused);
    status = 503;
    await expect(mintSessionToken(url, 'ss_x', usage)).rejects.not.toThrow(ServerSecretRefused);
  } finally {
    service.close();
  }
});
