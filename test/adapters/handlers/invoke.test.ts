import '../../lambdas/environment.ts';
import { Logger } from '@aws-lambda-powertools/logger';
import * as z from 'zod';
import { invokeHandler } from '../../../src/adapters/handlers/invoke.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { lambdaContext, lineOf, logged, REQUEST_ID } from '../../lambdas/invocation.ts';

const schema = z.object({ org_id: z.string().optional(), action_id: z.string().optional(), token: z.string() });
const INPUT = { org_id: 'org_1', action_id: 'act_1', token: 'DontTell' };

function invoke(input: unknown, operation: (given: z.infer<typeof schema>) => Promise<object>) {
  const handler = invokeHandler(new Logger({ serviceName: 'test' }), schema, operation);
  return logged(async () => {
    try {
      return await handler(input, lambdaContext());
    } catch (error) {
      return (error as Error).message;
    }
  });
}

test('a result is a success, and logs nothing', async () => {
  const { result, log } = await invoke(INPUT, async ({ token }) => ({ length: token.length }));
  expect([result, log]).toEqual([{ success: true, length: 8 }, '']);
});

test.each<[unknown, string]>([
  [{}, 'token: expected string, received undefined'],
  [{ token: 5 }, 'token: expected string, received number'],
  [null, 'expected object, received null'],
  ['text', 'expected object, received string'],
])('the wrong input %j is an answer that names the field', async (input, error) => {
  const { result } = await invoke(input, async () => ({}));
  expect(result).toEqual({ success: false, error: expect.stringContaining(error) });
});

test('a refusal is an answer; one of who asks too often is counted', async () => {
  const refuse = (refusal: Refusal) => async () => {
    throw refusal;
  };
  const often = await invoke(INPUT, refuse(new Refusal(429, 'Rate limit exceeded')));
  expect(often.result).toEqual({ success: false, error: 'Rate limit exceeded' });
  expect(often.log).toContain('"reason":"rateLimitExceeded"');
  const strange = await invoke(INPUT, refuse(new Refusal(403, 'of no name')));
  expect(strange.log).toContain('"reason":"other"');
  const wrong = await invoke(INPUT, refuse(new Refusal(400, 'wrong')));
  expect([wrong.result, wrong.log]).toEqual([{ success: false, error: 'wrong' }, '']);
});

test('a fault is hidden, and its line says whom it was about and nothing else of the input', async () => {
  const away = async () => {
    throw new Error('The table is away');
  };
  const { result, log } = await invoke(INPUT, away);
  expect(result).toBe('Internal error');
  expect(lineOf(log, 'The invocation failed')).toMatchObject({
    function_request_id: REQUEST_ID,
    org_id: 'org_1',
    action_id: 'act_1',
    error: { message: 'The table is away' },
  });
  expect(log).not.toContain('DontTell');
  const without = await invoke({ token: 'DontTell' }, away);
  expect(lineOf(without.log, 'The invocation failed')).not.toHaveProperty('org_id');
});
