import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { type LocalCloud, startLocalCloud } from '../../../local/local-cloud.ts';
import { until } from '../../harness/until.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { commandLineOf } from '../operations/command.ts';

import.meta.jest.setTimeout(180_000);

/**
 * Starts today's code on the data folder of a released version's one-machine service. The folder has an organization, an assistant in
 * Session Signed mode, an Event Action whose endpoint refuses connections, and an event that was not yet delivered.
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

test('a released version has a data folder', () => {
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

  test('the configuration is readable, and the signing secret is opened', async () => {
    const actions = await command.json<{ action_id: string }[]>('action', 'list', '--org', left.org_id);
    expect(actions.map(({ action_id }) => action_id)).toEqual([left.action_id]);
    expect(await command.json('action', 'secret', left.action_id)).toMatchObject({
      signing_secret: left.signing_secret,
    });
  });

  test('a backend creates a session token with the server secret of that version', async () => {
    const answer = await fetch(`${cloud.baseUrl}/api/widget/session/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-server-key': left.server_secret },
      body: '{}',
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { site_id: left.site_id }]);
  });

  test('the undelivered event gets its three attempts', async () => {
    const attempts = async () =>
      (await command.json<{ reference: string; attempt: number }[]>('deliveries', left.action_id))
        .filter(({ reference }) => reference === left.event_id)
        .map(({ attempt }) => attempt)
        .sort();
    await until(async () => (await attempts()).length === 3);
    expect(await attempts()).toEqual([1, 2, 3]);
  });
});

/** Renews the time of the queued messages, because a queue deletes messages after four days. Changes nothing else. */
function sentNow(file: string): void {
  const queues = new DatabaseSync(file);
  queues.exec(`UPDATE sqs_messages SET sent_timestamp = ${Date.now()}`);
  queues.close();
}
