import { failing } from '../fakes/failing.ts';
import '../lambdas/environment.ts';
import * as z from 'zod';
import { Refusal } from '../../src/domain/refusal.ts';
import { invokeHandler } from '../../src/functions/invoke.ts';
import { lambdaContext, lineOf, logged, REQUEST_ID, testShell } from '../lambdas/invocation.ts';

const schema = z.object({ org_id: z.string().optional(), action_id: z.string().optional(), token: z.string() });
const INPUT = { org_id: 'org_1', action_id: 'act_1', token: 'DontTell' };

function invoke(input: unknown, operation: (input: z.infer<typeof schema>) => Promise<object>) {
  const handler = invokeHandler(testShell(), schema, operation);
  return logged(async () => {
    try {
      return await handler(input, lambdaContext());
    } catch (error) {
      return (error as Error).message;
    }
  });
}

test('a result is a success and is not logged', async () => {
  const { result, log } = await invoke(INPUT, async ({ token }) => ({ length: token.length }));
  expect([result, log]).toEqual([{ success: true, length: 8 }, '']);
});

test.each<[unknown, string]>([
  [{}, 'token: is required'],
  [{ token: 5 }, 'token: must be a string'],
  [null, 'must be an object'],
  ['text', 'must be an object'],
])('the wrong input %j returns a refusal with the field', async (input, error) => {
  const { result } = await invoke(input, async () => ({}));
  expect(result).toMatchObject({
    success: false,
    code: 'invalid_request',
    status: 400,
    error: expect.stringContaining(error),
  });
});

test('a refusal is returned, and a refusal by a rate limit is counted', async () => {
  const refuse = (refusal: Refusal) => async () => {
    throw refusal;
  };
  const often = await invoke(INPUT, refuse(new Refusal('rate_limit_exceeded', { retryAfterSeconds: 42 })));
  expect(often.result).toEqual({
    success: false,
    code: 'rate_limit_exceeded',
    status: 429,
    error: 'Rate limit exceeded',
    retry_after_seconds: 42,
  });
  expect(often.log).toContain('"reason":"rate_limit_exceeded"');
  const suspended = await invoke(INPUT, refuse(new Refusal('organization_suspended', { message: 'org_1 is' })));
  expect([suspended.result, suspended.log]).toEqual([
    { success: false, code: 'organization_suspended', status: 409, error: 'org_1 is' },
    '',
  ]);
});

test('an internal error is hidden, and its log line has only the ids of the input', async () => {
  const away = failing('The table is away');
  const { result, log } = await invoke(INPUT, away);
  expect(result).toBe('Internal error');
  expect(lineOf(log, 'The invocation failed')).toMatchObject({
    function_request_id: REQUEST_ID,
    org_id: 'org_1',
    action_id: 'act_1',
    cause: { error: 'Error', at: expect.arrayContaining([expect.stringContaining('failing.ts')]) },
  });
  expect(log).not.toContain('DontTell');
  const without = await invoke({ token: 'DontTell' }, away);
  expect(lineOf(without.log, 'The invocation failed')).not.toHaveProperty('org_id');
});
