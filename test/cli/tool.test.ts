import { Refusal } from '../../src/domain/refusal.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

describe('tool and usage', () => {
  test('makes a call like the assistant runtime, and prints the answer', async () => {
    operator.runtimeAnswer = { outcome: 'completed', message: 'The Action completed.' };
    const words = ['tool', 'call', 'site_a', 'order-status', '--conversation', 'c-1', '--arguments', '{"order":7}'];
    const { code, out } = await operator.run(...words, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(operator.runtimeAnswer);
    expect(operator.runtimeInputs).toEqual([
      {
        operation: 'callTool',
        site_id: 'site_a',
        conversation_id: 'c-1',
        tool: 'order-status',
        arguments: { order: 7 },
      },
    ]);
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
    expect(JSON.parse((await operator.run('tool', 'list', 'site_a', '--json')).out)).toEqual(operator.runtimeAnswer);
    operator.runtimeAnswer = { tools: [] };
    expect((await operator.run('tool', 'list', 'site_a')).out).toBe('No tools\n');
  });

  test.each(['[1]', '7', '{'])('refuses arguments that are not a JSON object: %s', async (text) => {
    const { code, err } = await operator.run('tool', 'call', 'site_a', 't', '--conversation', 'c', '--arguments', text);
    expect(code).toBe(2);
    expect(err).toContain('arguments: ');
    expect(operator.runtimeInputs).toEqual([]);
  });

  test('a usage report adds up the tokens, and reads its session token from a file', async () => {
    operator.files = { 'token.txt': 'a.b.c\n' };
    operator.runtimeAnswer = { should_continue: true, reported: true };
    const words = ['usage', 'report', '--token', '@token.txt', '--input-tokens', '120', '--output-tokens', '48'];
    const { code, out } = await operator.run(...words);
    expect(code).toBe(0);
    expect(out).toContain('should_continue');
    expect(operator.runtimeInputs).toEqual([
      {
        session_token: 'a.b.c',
        usage: { input_tokens: 120, output_tokens: 48, total_tokens: 168, tts_chars: 0, tts_provider: null },
      },
    ]);
  });

  test('reports a refusal of the function without the token', async () => {
    operator.runtimeAnswer = new Refusal('session_token_invalid');
    const words = ['usage', 'report', '--token', 'a.b.c', '--input-tokens', '1', '--output-tokens', '1'];
    const { code, err } = await operator.run(...words);
    expect(code).toBe(2);
    expect(err).toContain('Invalid or expired session token');
    expect(err).not.toContain('a.b.c');
  });
});
