import { CloudFormationClient, DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { httpEvent } from '../../unit/lambdas/invocation.ts';
import { type Operator, operatorOf } from '../acceptance/operator.ts';
import { addAdmin, type Prepared, prepare, type Service, STEPS, workInDashboard } from '../acceptance/scenario.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';

describeEmulated('a real deployment', (account) => {
  let service: Service;
  let operator: Operator;
  let prepared: Prepared;
  const system = () => ({ operator, service, receiver: account.receiver, prepared, patienceMs: 30_000 });

  test('cdk bootstrap and cdk deploy create the stack', async () => {
    expect(await account.bootstrap()).toContain('bootstrapped');
    await account.deploy();
    service = await deployedService(account.ministack, 'VaWave');
    const { url: gatewayUrl, region, credentials } = account.ministack;
    operator = operatorOf({ gatewayUrl, region, credentials, outputs: service.outputs });
    prepared = await prepare(operator, account.receiver);
  });

  // The emulator answers every preflight itself, and its login issues no scopes.
  const steps = Object.entries(STEPS).filter(([name]) => !/^a preflight|^an admin logs in/.test(name));
  test.each(steps)('%s', (_, step) => step(system()));

  test('the dashboard refuses a request without a token, and its function serves an admin', async () => {
    expect((await fetch(`${service.baseUrl}/api/dashboard/me`)).status).toBe(401);
    const { sub } = await addAdmin(system());
    await workInDashboard(system(), dashboardCall(service, sub));
  });

  test('a second cdk deploy keeps the data and every address', async () => {
    await account.deploy('-c', 'deliveryLogRetentionDays=14');
    expect((await deployedService(account.ministack, 'VaWave')).outputs).toEqual(service.outputs);
    const [name = '', sendsTest] = steps.find(([step]) => step.startsWith('a test request')) ?? [];
    expect(name).not.toBe('');
    await sendsTest?.(system());
  });

  test('deleting the stack deletes its functions, tables and queues', async () => {
    const { aws } = service;
    const cloudFormation = new CloudFormationClient(aws);
    await cloudFormation.send(new DeleteStackCommand({ StackName: 'VaWave' }));
    await waitUntilStackDeleteComplete({ client: cloudFormation, maxWaitTime: 60 }, { StackName: 'VaWave' });
    expect((await new LambdaClient(aws).send(new ListFunctionsCommand({}))).Functions).toEqual([]);
    expect((await new DynamoDBClient(aws).send(new ListTablesCommand({}))).TableNames).toEqual([]);
    const queues = await new SQSClient(aws).send(new ListQueuesCommand({ QueueNamePrefix: 'VaWave' }));
    expect(queues.QueueUrls ?? []).toEqual([]);
  });
});

/**
 * Returns a function that invokes the dashboard's API with the event that it gets after the authorizer, with the claims of an access token.
 * @param sub the user of the access token
 */
function dashboardCall({ invoke }: Service, sub: string) {
  const authorizer = { jwt: { claims: { sub }, scopes: ['va-wave-dashboard/use'] } };
  return async (method: string, path: string, body?: object) => {
    const { pathname, searchParams } = new URL(`/api/dashboard${path}`, 'http://api');
    const query = Object.fromEntries(searchParams);
    const event = httpEvent({ method, path: pathname, query, ...(body && { body }) });
    const reply = await invoke('DashboardApi', { ...event, requestContext: { ...event.requestContext, authorizer } });
    const { body: text } = reply as { readonly body: string };
    return JSON.parse(text);
  };
}
