import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { demoActions, demoOrganization } from '../../../../local/demo/demo-organization.ts';
import { serverSecretMatches } from '../../../../src/domain/auth/server-secret.ts';
import { OPERATOR_AUTHOR } from '../../../fakes/configuration.ts';
import { memoryConfiguration } from '../../../fakes/configuration-store.ts';
import { deleteAction, updateAction, updateAssistant } from '../../../fakes/saves.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';

const RECEIVER = 'https://localhost:8789';
const folder = temporaryFolder();

const freshContext = () => ({
  author: OPERATOR_AUTHOR,
  store: memoryConfiguration(),
  now: new FrozenClock().now,
  randomBytes: countingBytes(),
  sealSigningSecret: async (secret: string) => secret,
});

test('the demo finds its customer again, whose site may have any port, and gives its backend a new server secret', async () => {
  const context = freshContext();
  const { store } = context;
  const first = await demoOrganization(folder, RECEIVER, context);
  const again = await demoOrganization(folder, RECEIVER, context);
  expect(again).toEqual({ ...first, server_secret: again.server_secret });
  expect(await store.findAssistant(first.website_site_id)).toMatchObject({
    domain: 'localhost',
    allowed_domains: ['localhost'],
  });
  const stored = (await store.findAssistant(first.members_site_id))?.server_secret;
  expect(serverSecretMatches(stored, again.server_secret)).toBe(true);
  // A user no longer wants tokens there.
  await updateAssistant(first.members_site_id, { authentication_mode: 'Allowed Websites' }, context);
  expect(await demoOrganization(folder, RECEIVER, context)).toEqual({ ...first, server_secret: '' });
});

test('a later start leaves what users have changed, and moves the Actions that still call the receiver to its new port', async () => {
  const context = freshContext();
  const start = async (receiverUrl: string) => {
    const { org_id } = await demoOrganization(join(folder, 'changed'), receiverUrl, context);
    return { org_id, actions: await demoActions(org_id, receiverUrl, context) };
  };
  mkdirSync(join(folder, 'changed'));
  const { org_id, actions } = await start(RECEIVER);
  expect(actions.size).toBe(6);
  expect([...actions.values()].every(({ version }) => version === 1)).toBe(true);
  const idOf = (path: string) => actions.get(path)?.action_id ?? '';
  await updateAction(idOf('/website/contact'), { url: 'https://own.example/hook' }, context);
  await updateAction(idOf('/website/events'), { url: 'https://own.example/website/events' }, context);
  await deleteAction(idOf('/members/events'), context);
  const { actions: later } = await start('https://localhost:9000');
  expect([...later.values()].map(({ url }) => url).sort()).toEqual([
    'https://localhost:9000/members/orders',
    'https://localhost:9000/members/repair',
    'https://localhost:9000/website/orders',
  ]);
  expect((await context.store.listActions(org_id)).actions.map(({ url }) => url)).toHaveLength(5);
});
