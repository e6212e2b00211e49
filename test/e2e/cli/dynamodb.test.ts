import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { openDeployment } from '../../../cli/deployment.ts';
import { type DynamoProcess, startDynoxide } from '../../../local/cloud/engines/dynoxide.ts';
import { OUTPUTS } from '../../../src/contract/outputs.ts';
import { capturedRun } from './captured-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-cli-'));
let engine: DynamoProcess;

beforeAll(async () => {
  engine = await startDynoxide(join(folder, 'dynamodb.db'), () => {});
  const client = new DynamoDBClient(access());
  for (const TableName of [OUTPUTS.configurationTable, OUTPUTS.deliveryLogTable]) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
  }
});
afterAll(async () => {
  await engine?.stop();
  rmSync(folder, { recursive: true });
});

const access = () => ({
  endpoint: engine.origin,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

/** Runs a command on real tables. Sealing is a fake, because it needs another service. */
async function run(...words: readonly string[]) {
  const outputs = Object.fromEntries(Object.values(OUTPUTS).map((name) => [name, name]));
  const deployment = {
    ...openDeployment(outputs, access()),
    sealSigningSecret: async () => 'sealed',
  };
  const { code, out, err } = await capturedRun(words, async () => deployment);
  return {
    code,
    value: out === '' ? undefined : JSON.parse(out),
    error: err === '' ? undefined : JSON.parse(err).error,
  };
}

test('the next command reads what a command has written', async () => {
  const { value: organization } = await run('org', 'create', '--name', 'Corner Shop', '--plan', 'paid');
  expect((await run('org', 'list')).value).toEqual([organization]);
  const settings = ['--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '9', '--mode', 'session-signed'];
  const { value: assistant } = await run('assistant', 'create', '--org', organization.org_id, ...settings);
  const { value: secret } = await run('secret', 'generate', assistant.site_id);
  expect((await run('assistant', 'list', '--org', organization.org_id)).value).toEqual([
    {
      ...assistant,
      server_secret: { last_six: secret.server_secret.slice(-6) },
      version: 2,
      updated_at: expect.any(String),
    },
  ]);
  const form = ['--trigger', 'Form', '--name', 'Contact', '--url', 'https://crm.example/', '--field', 'a:A:Text'];
  const { value: action } = await run('action', 'create', '--site', assistant.site_id, ...form);
  expect(await run('action', 'create', '--site', assistant.site_id, ...form)).toEqual({
    code: 2,
    error: 'name: another Form Action of this assistant is already called contact',
  });
  expect((await run('action', 'update', action.action_id, '--name', 'Write us')).value).toMatchObject({
    slug: 'write-us',
  });
  expect((await run('deliveries', action.action_id)).value).toEqual([]);
  expect((await run('action', 'delete', action.action_id, '--yes')).value).toEqual({
    action_id: action.action_id,
    deleted: true,
  });
  expect((await run('action', 'show', action.action_id)).code).toBe(3);
});

test('creates 50 of 60 concurrent Actions', async () => {
  const { value: organization } = await run('org', 'create', '--name', 'Busy');
  const settings = ['--name', 'Shop', '--domain', 'shop.example', '--rate-limit', '9'];
  const { value: assistant } = await run('assistant', 'create', '--org', organization.org_id, ...settings);
  const event = ['--trigger', 'Event', '--name', 'Tell', '--url', 'https://crm.example/', '--event', 'sms.sent'];
  const ended = await Promise.all(
    Array.from({ length: 60 }, () => run('action', 'create', '--site', assistant.site_id, ...event)),
  );
  const refused = ended.filter(({ code }) => code !== 0);
  expect(refused).toEqual(Array(10).fill({ code: 2, error: 'actions: an organization has at most 50 Actions' }));
  expect((await run('action', 'list', '--site', assistant.site_id)).value).toHaveLength(50);
});
