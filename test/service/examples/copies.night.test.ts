import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { npm } from '../packages/receiver/packed-receiver.ts';
import { copiedExample, started } from './copied-example.ts';

test('a copy of examples/assistant-runtime compiles, and asks for its settings', async () => {
  const copy = await copiedExample('assistant-runtime', temporaryFolder());
  npm('npm run check', copy);
  const { command, args, cwd } = started(copy);
  const { MODEL_ID: _, ...env } = process.env;
  expect(spawnSync(command, args, { cwd, env, encoding: 'utf8' }).stderr).toContain('Set MODEL_ID');
});

test('a pipe into examples/assistant-runtime ends without an error', async () => {
  const bus = createServer((_request, response) => {
    response.end('{"FailedEntryCount":0,"Entries":[{"EventId":"1"}]}');
  });
  await once(bus.listen(0, '127.0.0.1'), 'listening');
  const address = bus.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const folder = resolve(import.meta.dirname, '../../../examples/assistant-runtime');
  const names = {
    AI_ACTION_FUNCTION: 'a',
    USAGE_REPORT_FUNCTION: 'u',
    EVENT_BUS: 'b',
    ORG_ID: 'org_a',
    SITE_ID: 'site_a',
  };
  const account = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'a',
  };
  const env = { ...process.env, ...names, ...account, MODEL_ID: 'scripted' };
  const child = spawn(process.execPath, ['main.ts'], { cwd: folder, env });
  const [printed, faults] = [text(child.stdout), text(child.stderr)];
  child.stdin.end('Where is order 1001?\nAnd 1002?\n');
  const [code] = await once(child, 'exit');
  bus.close().closeAllConnections();
  expect([code, (await printed).match(/has no tool/g)]).toEqual([0, ['has no tool', 'has no tool']]);
  expect(await faults).not.toContain('ERR_USE_AFTER_CLOSE');
});

test('a copy of examples/conversation-view needs no other file', async () => {
  const copy = await copiedExample('conversation-view', temporaryFolder());
  const view: unknown = await import(join(copy, 'view.js'));
  expect(view).toMatchObject({ conversationView: expect.any(Function) });
});
