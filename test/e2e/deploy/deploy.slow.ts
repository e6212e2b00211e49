import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '../../../src/contract/environment.ts';
import { describeWhere } from '../../examples/where-installed.ts';
import { directOperator } from '../acceptance/direct-operator.ts';
import type { Operator } from '../acceptance/operator.ts';
import { type Receiver, startReceiver } from '../acceptance/receiver.ts';
import { addAdmin, type Prepared, prepare, type Service, STEPS, workInDashboard } from '../acceptance/scenario.ts';
import { cdk } from './cdk.ts';
import { dashboardCall } from './dashboard-call.ts';
import { deployedService } from './deployed-service.ts';
import { installMiniStack, type MiniStack, startMiniStack } from './ministack.ts';

const STACK = 'VaWave';
const RETENTION = ENVIRONMENT.deliveryLogRetentionDays;

describeWhere(installMiniStack(), 'a real deployment to an emulated account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-deploy-'));
  let ministack: MiniStack;
  let receiver: Receiver;
  let service: Service;
  let operator: Operator;
  let prepared: Prepared;

  beforeAll(async () => {
    receiver = await startReceiver();
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, receiver.authorityPem);
    ministack = await startMiniStack({ VA_WAVE_LOCAL_CA_FILE: authority });
  }, 60_000);

  afterAll(async () => {
    await ministack?.stop();
    await receiver?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('cdk bootstrap', async () => {
    expect(await cdk(ministack, folder, 'bootstrap', 'aws://000000000000/us-east-1')).toContain('bootstrapped');
  }, 60_000);

  test('cdk deploy', async () => {
    await cdk(ministack, folder, 'deploy', '--require-approval', 'never');
    service = await deployedService(ministack, STACK);
    operator = directOperator({
      gatewayUrl: ministack.url,
      region: ministack.region,
      credentials: ministack.credentials,
      outputs: service.outputs,
    });
    prepared = await prepare(operator, receiver);
  }, 120_000);

  // The emulator answers every preflight itself, and its login gives no scopes.
  const notThere = /^a preflight|^an admin logs in/;
  const steps = Object.entries(STEPS).filter(([name]) => !notThere.test(name));
  test.each(steps)(
    '%s',
    async (_, step) => {
      await step({ operator, service, receiver, prepared, patienceMs: 30_000 });
    },
    60_000,
  );

  test('nobody uses the dashboard without a token, and its function does its work for an admin', async () => {
    expect((await fetch(`${service.baseUrl}/api/dashboard/me`)).status).toBe(401);
    const system = { operator, service, receiver, prepared };
    const { sub } = await addAdmin(system);
    await workInDashboard(system, dashboardCall(service, sub));
  }, 60_000);

  test('cdk deploy, again, changes a setting in place and keeps the data', async () => {
    const before = await dispatcher(service);
    expect(before?.Environment?.Variables?.[RETENTION]).toBe('7');
    await cdk(ministack, folder, 'deploy', '--require-approval', 'never', '-c', 'deliveryLogRetentionDays=14');
    const after = await dispatcher(service);
    expect(after?.Environment?.Variables?.[RETENTION]).toBe('14');
    expect(after?.FunctionName).toBe(before?.FunctionName);
    expect((await deployedService(ministack, STACK)).outputs).toEqual(service.outputs);
    const [, sendsTest] = steps.find(([name]) => name.startsWith('a test request')) ?? [];
    if (sendsTest === undefined) throw new Error('The scenario has lost its test request');
    await sendsTest({ operator, service, receiver, prepared });
  }, 120_000);

  test('the stack is deleted, and nothing of it stays', async () => {
    const { aws } = service;
    const cloudFormation = new CloudFormationClient(aws);
    await cloudFormation.send(new DeleteStackCommand({ StackName: STACK }));
    await waitUntilStackDeleteComplete({ client: cloudFormation, maxWaitTime: 60 }, { StackName: STACK });
    expect((await new LambdaClient(aws).send(new ListFunctionsCommand({}))).Functions).toEqual([]);
    expect((await new DynamoDBClient(aws).send(new ListTablesCommand({}))).TableNames).toEqual([]);
    const queues = await new SQSClient(aws).send(new ListQueuesCommand({ QueueNamePrefix: STACK }));
    expect(queues.QueueUrls ?? []).toEqual([]);
  }, 120_000);
});

async function dispatcher({ aws }: Service) {
  const { Functions = [] } = await new LambdaClient(aws).send(new ListFunctionsCommand({}));
  return Functions.find(({ FunctionName }) => FunctionName?.startsWith(`${STACK}-DeliveriesDispatcher`));
}
