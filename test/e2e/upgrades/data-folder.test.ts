import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { until } from '../events/test-system.ts';
import { commandLineOf } from '../operations/command.ts';

import.meta.jest.setTimeout(180_000);

/**
 * The data folder of one machine as a released version left it, under today's code. In it are an organization, an assistant in Session
 * Signed, an Event Action whose endpoint refuses connections, and one event that was on its way when that version was stopped.
 */
const known = z.object({
  server_secret: z.string(),
  signing_secret: z.string(),
  event_id: z.string(),
  org_id: z.string(),
  site_id: z.string(),
  action_id: z.string(),
});

const VERSIONS = globSync('test/fixtures/released/*/data.tgz').sort().map(dirname);

test('there is the data folder of a released version', () => {
  expect(VERSIONS).toContain('test/fixtures/released/0.1.0');
});

describe.each(VERSIONS)('%s', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-upgrade-'));
  const left = known.parse(JSON.parse(readFileSync(`${version}/data.json`, 'utf8')));
  let cloud: LocalCloud;
  let command: ReturnType<typeof commandLineOf>;

  beforeAll(async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    execFileSync('tar', ['xzf', `${version}/data.tgz`, '-C', data]);
    sentNow(join(data, 'sqs/fauxqs.db'));
    cloud = await startLocalCloud({ data, assembly: await serviceAssembly() });
    command = commandLineOf(cloud);
  });
  afterAll(async () => {
    await cloud?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('what was configured is there, and the signing secret is opened', async () => {
    const actions = await command.json<{ action_id: string }[]>('action', 'list', '--org', left.org_id);
    expect(actions.map(({ action_id }) => action_id)).toEqual([left.action_id]);
    expect(await command.json('action', 'secret', left.action_id)).toMatchObject({
      signing_secret: left.signing_secret,
    });
  });

  test('a backend mints a token with the server secret that it was given then', async () => {
    const answer = await fetch(`${cloud.baseUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-server-key': left.server_secret },
      body: '{}',
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { site_id: left.site_id }]);
  });

  test('the event that was on its way gets its three attempts', async () => {
    const attempts = async () =>
      (await command.json<{ reference: string; attempt: number }[]>('deliveries', left.action_id))
        .filter(({ reference }) => reference === left.event_id)
        .map(({ attempt }) => attempt)
        .sort();
    await until(async () => (await attempts()).length === 3);
    expect(await attempts()).toEqual([1, 2, 3]);
  });
});

/** A queue drops what is older than four days, so that a message of the fixture would be gone. Nothing else of it is changed. */
function sentNow(file: string): void {
  const queues = new DatabaseSync(file);
  queues.exec(`UPDATE sqs_messages SET sent_timestamp = ${Date.now()}`);
  queues.close();
}
