import { Refusal } from '../../src/domain/refusal.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

const CALL = ['tool', 'call', 'site_a', 'order-status', '--conversation', 'c-1', '--arguments'];
const REPORT = ['usage', 'report', '--input-tokens', '120', '--output-tokens', '48', '--token'];

test('makes a call like the assistant runtime, and prints the answer', async () => {
  operator.runtimeAnswer = { outcome: 'completed', message: 'The Action completed.' };
  expect(await operator.json(...CALL, '{"order":7}')).toEqual(operator.runtimeAnswer);
  const call = { site_id: 'site_a', conversation_id: 'c-1', tool: 'order-status', arguments: { order: 7 } };
  expect(operator.runtimeInputs).toEqual([{ operation: 'callTool', ...call }]);
});

test.each(['[1]', '7', '{'])('refuses arguments that are not a JSON object: %s', async (text) => {
  expect(await operator.run(...CALL, text)).toMatchObject({ code: 2, err: expect.stringContaining('arguments: ') });
  expect(operator.runtimeInputs).toEqual([]);
});

test('lists the tools of an assistant', async () => {
  const properties = { order: { type: 'integer' }, note: { type: 'string' } };
  const input_schema = { type: 'object', properties, required: ['order'] };
  operator.runtimeAnswer = { tools: [{ name: 'order-status', description: 'Finds an order', input_schema }] };
  const { code, out } = await operator.run('tool', 'list', 'site_a');
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      'TOOL          PARAMETERS                     DESCRIPTION',
      'order-status  order: integer, note?: string  Finds an order',
      '',
    ],
  ]);
  expect(await operator.json('tool', 'list', 'site_a')).toEqual(operator.runtimeAnswer);
});

test('a usage report adds up the tokens, and reads its session token from a file', async () => {
  operator.files = { 'token.txt': 'a.b.c\n' };
  operator.runtimeAnswer = { should_continue: true, reported: true };
  expect(await operator.json(...REPORT, '@token.txt')).toEqual(operator.runtimeAnswer);
  const usage = { input_tokens: 120, output_tokens: 48, total_tokens: 168, tts_chars: 0, tts_provider: null };
  expect(operator.runtimeInputs).toEqual([{ session_token: 'a.b.c', usage }]);
});

test('reports a refusal of the function without the token', async () => {
  operator.runtimeAnswer = new Refusal('session_token_invalid');
  const { code, err } = await operator.run(...REPORT, 'a.b.c');
  expect([code, err]).toEqual([2, expect.stringContaining('Invalid or expired session token')]);
  expect(err).not.toContain('a.b.c');
});
