import { demoOrganization } from '../../../local/demo/demo-organization.ts';
import { serverSecretMatches } from '../../../src/domain/auth/server-secret.ts';
import { memoryConfiguration } from '../../fakes/configuration-store.ts';
import { updateAssistant } from '../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../fakes/sources.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const folder = temporaryFolder();

test('the demo finds its customer again, whose site may have any port, and gives its backend a new server secret', async () => {
  const store = memoryConfiguration();
  const sealSigningSecret = async (secret: string) => secret;
  const context = { store, now: new FrozenClock().now, randomBytes: countingBytes(), sealSigningSecret };
  const first = await demoOrganization(folder, context);
  const again = await demoOrganization(folder, context);
  expect(again).toEqual({ ...first, server_secret: again.server_secret });
  expect(await store.findAssistant(first.website_site_id)).toMatchObject({
    domain: 'localhost',
    allowed_domains: ['localhost'],
  });
  const stored = (await store.findAssistant(first.members_site_id))?.server_secret;
  expect(serverSecretMatches(stored, again.server_secret)).toBe(true);
  // A user no longer wants tokens there.
  await updateAssistant(first.members_site_id, { authentication_mode: 'Allowed Websites' }, context);
  expect(await demoOrganization(folder, context)).toEqual({ ...first, server_secret: '' });
});
