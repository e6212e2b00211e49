import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { lambdaContext, logged } from '../../lambdas/invocation.ts';

/** The path of the Test button: the dashboard's API invokes the action-test function over HTTP as it invokes Lambda. */
const limit = new FakeLimit();
let stored: Action | undefined;
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

let lambda: Server;
beforeAll(async () => {
  lambda = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { result } = await logged(() =>
      functionHandler(JSON.parse(Buffer.concat(chunks).toString()), lambdaContext()),
    );
    response.end(JSON.stringify(result));
  });
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => lambda.close(resolve)));

beforeEach(() => {
  stored = aFormAction();
  limit.decision = { allowed: true };
});

async function pressTest() {
  const { port } = lambda.address() as AddressInfo;
  const client = lambdaClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { call, store } = await dashboardApi({ testAction: actionTestFunction(client, 'action-test') });
  const action = aFormAction();
  await store.createAction(action);
  try {
    return await call('anna', 'POST', `/organizations/${ORG_ID}/actions/${action.action_id}/test`);
  } finally {
    client.destroy();
  }
}

test('a test returns the result of the function', async () => {
  expect(await pressTest()).toMatchObject({ status: 200, body: { success: true, status: 200 } });
});

test.each<[string, () => void, number, string | undefined, object]>([
  [
    'a suspended organization',
    () => {
      stored = aFormAction({ suspended: true });
    },
    409,
    undefined,
    { code: 'organization_suspended', error: `org_id: ${ORG_ID} is suspended` },
  ],
  [
    'the rate limit',
    () => {
      limit.decision = { allowed: false, retryAfterSeconds: 42 };
    },
    429,
    '42',
    { code: 'rate_limit_exceeded', error: 'Rate limit exceeded' },
  ],
])(
  'a refusal because of %s reaches the dashboard as the function made it',
  async (_, arrange, status, retryAfter, body) => {
    arrange();
    const answer = await pressTest();
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, retryAfter]);
    expect(answer.body).toEqual({ success: false, ...body });
  },
);
