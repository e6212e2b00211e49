import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from '../packages/receiver/packed-receiver.ts';
import { copiedExample, started } from './copied-example.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-copies-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a copy of examples/assistant-runtime compiles, and asks for its settings', async () => {
  const copy = await copiedExample('assistant-runtime', join(folder, 'assistant-runtime'));
  npm('npm run check', copy);
  const { command, args, cwd } = started(copy);
  const { MODEL_ID: _, ...env } = process.env;
  expect(spawnSync(command, args, { cwd, env, encoding: 'utf8' }).stderr).toContain('Set MODEL_ID');
});

test('a copy of examples/conversation-view needs no other file', async () => {
  const copy = await copiedExample('conversation-view', join(folder, 'conversation-view'));
  const view: unknown = await import(join(copy, 'view.js'));
  expect(view).toMatchObject({ conversationView: expect.any(Function) });
});
