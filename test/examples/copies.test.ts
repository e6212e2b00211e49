import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { npm } from '../packages/receiver/packed-receiver.ts';
import { copiedExample, started } from './copied-example.ts';

test('a copy of examples/assistant-runtime compiles, and asks for its settings', async () => {
  const copy = await copiedExample('assistant-runtime', temporaryFolder());
  npm('npm run check', copy);
  const { command, args, cwd } = started(copy);
  const { MODEL_ID: _, ...env } = process.env;
  expect(spawnSync(command, args, { cwd, env, encoding: 'utf8' }).stderr).toContain('Set MODEL_ID');
});

test('a copy of examples/conversation-view needs no other file', async () => {
  const copy = await copiedExample('conversation-view', temporaryFolder());
  const view: unknown = await import(join(copy, 'view.js'));
  expect(view).toMatchObject({ conversationView: expect.any(Function) });
});
