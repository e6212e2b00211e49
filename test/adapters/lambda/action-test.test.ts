import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Logger } from '@aws-lambda-powertools/logger';
import { lambdaClient } from '../../../src/adapters/aws-clients.ts';
import { actionTestFunction } from '../../../src/adapters/function-invocations.ts';
import type { Action } from '../../../src/contract/actions.ts';
import { actionTestRequest } from '../../../src/contract/invocations.ts';
import { testAction } from '../../../src/domain/actions/test-action.ts';
import { invokeHandler } from '../../../src/functions/invoke.ts';
import { aFormAction, ORG_ID } from '../../fakes/configuration.ts';
import { attemptFakes } from '../../fakes/delivery.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { countingIds } from '../../fakes/sources.ts';
import { dashboardApi } from '../../functions/dashboard-api.ts';
import { originOf } from '../../harness/server.ts';
import { lambdaContext, logged } from '../../lambdas/invocation.ts';

/** The path of the Test button: the dashboard's API invokes the action-test function over HTTP as it invokes Lambda. */
const limit = new FakeLimit();
let stored: Action = aFormAction();
const functionHandler = invokeHandler(
  new Logger({ serviceName: 'action-test' }),
  actionTestRequest,
  async (request) => ({
    result: await testAction(request.org_id, request.action_id, {
      ...attemptFakes().ports,
      configuration: { findAction: async () => stored },
      counters: { hitPerMinute: limit.hit },
      newId: countingIds(),
    }),
  }),
);

const lambda = createServer(async (request, response) => {
  const input = await json(request);
  const { result } = await logged(() => functionHandler(input, lambdaContext()));
  response.end(JSON.stringify(result));
});
const endpoint = await originOf(lambda);
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const client = lambdaClient({ endpoint, region: 'eu-central-1', credentials });

async function pressTest() {
  const { call, store } = await dashboardApi({ testAction: actionTestFunction(client, 'action-test') });
  const action = aFormAction();
  await store.createAction(action);
  return call('anna', 'POST', `/organizations/${ORG_ID}/actions/${action.action_id}/test`);
}

test('a test returns the result of the function', async () => {
  expect(await pressTest()).toMatchObject({ status: 200, body: { success: true, status: 200 } });
});

test('a refusal reaches the dashboard as the function made it', async () => {
  limit.decision = { allowed: false, retryAfterSeconds: 42 };
  const limited = await pressTest();
  expect([limited.status, limited.headers['retry-after']]).toEqual([429, '42']);
  expect(limited.body).toEqual({ success: false, code: 'rate_limit_exceeded', error: 'Rate limit exceeded' });
  stored = aFormAction({ suspended: true });
  const suspended = await pressTest();
  expect([suspended.status, suspended.headers['retry-after']]).toEqual([409, undefined]);
  const error = `org_id: ${ORG_ID} is suspended`;
  expect(suspended.body).toEqual({ success: false, code: 'organization_suspended', error });
});
