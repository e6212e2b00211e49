import { failing } from '../../fakes/failing.ts';
import '../lambdas/environment.ts';
import * as z from 'zod';
import { errorResponse, REFUSAL_CODES } from '../../../src/contract/errors.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { httpHandler } from '../../../src/functions/http.ts';
import { invokeHandler } from '../../../src/functions/invoke.ts';
import { call, lambdaContext, lineOf, logged, REQUEST_ID, testShell } from '../lambdas/invocation.ts';

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
  const suspended = await invoke(INPUT, refuse(new Refusal('organization_suspended', { problem: 'is' })));
  const fields = [{ field: 'org_id', problem: 'is' }];
  expect([suspended.result, suspended.log]).toEqual([
    { success: false, code: 'organization_suspended', status: 409, error: 'org_id: is', field: 'org_id', fields },
    '',
  ]);
});

test.each(REFUSAL_CODES)(
  '%s has each field that its message names in `fields`, over HTTP and in an invocation',
  async (code) => {
    const refuse = async () => Promise.reject(new Refusal(code));
    const { result } = await invoke(INPUT, refuse);
    const answer = await call(httpHandler(testShell(), refuse), {});
    const body = errorResponse.parse(answer.body);
    expect(result).toEqual({ ...body, status: answer.status });
    const [, field, problem] = /^([a-z_]+): (.+)$/.exec(body.error) ?? [];
    expect([body.field, body.fields]).toEqual(
      field === undefined ? [undefined, undefined] : [field, [{ field, problem }]],
    );
  },
);

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
