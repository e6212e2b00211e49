import { json } from 'node:stream/consumers';
import { lambdaClient } from '../../../../src/adapters/aws-clients.ts';
import { actionTestFunction } from '../../../../src/adapters/function-invocations.ts';
import { ORG_ID } from '../../../fakes/configuration.ts';
import { ACCESS } from '../../../fakes/memory-clients.ts';
import { refusalOf } from '../../../fakes/refusals.ts';
import { startServer } from '../../../harness/server.ts';

/** What Lambda was asked, and what the action-test function answers. */
const asked: unknown[] = [];
let answer: object = {};
const { origin: endpoint, stop } = await startServer(async (request, response) => {
  asked.push(request.url, await json(request));
  response.end(JSON.stringify(answer));
});
afterAll(stop);
const testAction = actionTestFunction(lambdaClient({ endpoint, ...ACCESS }), 'action-test');

test('a test returns the result of the function', async () => {
  const request = { method: 'POST', url: 'https://crm.example/', headers: {}, body: '{}' };
  const outcome = { status: 200, latency_ms: 12, success: true, error: null, response_excerpt: 'ok' };
  const result = { request, at: '2026-03-04T05:06:07.250Z', retried: false, ...outcome };
  answer = { success: true, result };
  asked.length = 0;
  expect(await testAction(ORG_ID, 'act_form', { method: 'PUT' })).toEqual(result);
  const path = '/2015-03-31/functions/action-test/invocations';
  expect(asked).toEqual([path, { org_id: ORG_ID, action_id: 'act_form', change: { method: 'PUT' } }]);
});

test('a refusal names every wrong field', async () => {
  const fields = [{ field: 'url', problem: 'is required' }];
  answer = { success: false, code: 'invalid_request', status: 400, error: 'url: is required', field: 'url', fields };
  expect(await refusalOf(testAction(ORG_ID, 'act_form'))).toMatchObject({ field: 'url', fields });
});

test.each([
  { code: 'rate_limit_exceeded', status: 429, error: 'Rate limit exceeded', retry_after_seconds: 42 },
  { code: 'organization_suspended', status: 409, error: `org_id: ${ORG_ID} is suspended` },
])('a refusal is the one that the function made: %j', async (refused) => {
  answer = { success: false, ...refused };
  const { code, status, message, retryAfterSeconds } = await refusalOf(testAction(ORG_ID, 'act_form'));
  expect({ code, status, error: message, retry_after_seconds: retryAfterSeconds }).toEqual(refused);
});
