import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DeleteStackCommand, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { describeWhere } from '../../examples/where-installed.ts';
import { until } from '../../harness/until.ts';
import { type Operator, operatorOf } from '../acceptance/operator.ts';
import { type Receiver, startReceiver, verifyWithStripe } from '../acceptance/receiver.ts';
import {
  addAdmin,
  arrivals,
  type Prepared,
  prepare,
  type Service,
  STEPS,
  workInDashboard,
} from '../acceptance/scenario.ts';
import { dashboardCall } from './dashboard-call.ts';
import { deployedService } from './deployed-service.ts';
import { cdk, installMiniStack, type MiniStack, startMiniStack } from './ministack.ts';
import { statedCommands } from './stated-commands.ts';

/** Milliseconds that a command of the CDK may take on a busy machine. A mistake fails much earlier. */
const CDK_TIMEOUT = 300_000;
const STACK = 'VaWave';
const SECOND = 'Second';
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

  test(
    'cdk bootstrap prepares the account',
    async () => {
      expect(await cdk(ministack, folder, 'bootstrap', 'aws://000000000000/us-east-1')).toContain('bootstrapped');
    },
    CDK_TIMEOUT,
  );

  test(
    'cdk deploy creates the stack',
    async () => {
      await cdk(ministack, folder, 'deploy', '--require-approval', 'never');
      service = await deployedService(ministack, STACK);
      operator = operatorOf({
        gatewayUrl: ministack.url,
        region: ministack.region,
        credentials: ministack.credentials,
        outputs: service.outputs,
      });
      prepared = await prepare(operator, receiver);
    },
    CDK_TIMEOUT,
  );

  // The emulator answers every preflight itself, and its login issues no scopes.
  const unsupported = /^a preflight|^an admin logs in/;
  const steps = Object.entries(STEPS).filter(([name]) => !unsupported.test(name));
  test.each(steps)(
    '%s',
    async (_, step) => {
      await step({ operator, service, receiver, prepared, patienceMs: 30_000 });
    },
    60_000,
  );

  test('the dashboard refuses a request without a token, and its function serves an admin', async () => {
    expect((await fetch(`${service.baseUrl}/api/dashboard/me`)).status).toBe(401);
    const system = { operator, service, receiver, prepared };
    const { sub } = await addAdmin(system);
    await workInDashboard(system, dashboardCall(service, sub));
  }, 60_000);

  test(
    'a second cdk deploy changes a setting in place and keeps the data',
    async () => {
      const before = await dispatcher(service);
      expect(before?.Environment?.Variables?.[RETENTION]).toBe('7');
      await cdk(ministack, folder, 'deploy', '--require-approval', 'never', '-c', 'deliveryLogRetentionDays=14');
      const after = await dispatcher(service);
      expect(after?.Environment?.Variables?.[RETENTION]).toBe('14');
      expect(after?.FunctionName).toBe(before?.FunctionName);
      expect((await deployedService(ministack, STACK)).outputs).toEqual(service.outputs);
      const [, sendsTest] = steps.find(([name]) => name.startsWith('a test request')) ?? [];
      if (sendsTest === undefined) throw new Error('The scenario has no step with a test request');
      await sendsTest({ operator, service, receiver, prepared });
    },
    CDK_TIMEOUT,
  );

  describe('a restored table', () => {
    const RESTORED = 'va-wave-restored';
    const tables = async () => (await new DynamoDBClient(service.aws).send(new ListTablesCommand({}))).TableNames ?? [];
    const sealingKey = (outputs: Service['outputs']) => ['--secret-id', outputs[OUTPUTS.sealingKey] ?? ''];
    let second: Service;

    test(
      'gets the settings of the stack’s tables by the commands of the runbook',
      async () => {
        const outputs = Object.fromEntries(Object.entries(service.outputs).map(([name, id]) => [`${name} output`, id]));
        const values = { ...outputs, pk: 'unused', sk: 'unused', 'ARN of the old sealing key': 'unused' };
        const stated = statedCommands('docs/runbook.md', 'Recover a table', values);
        const restoring = stated.filter((words) => words.includes(RESTORED) && !words.includes('get-item'));
        expect(restoring.map(([, command]) => command)).toEqual([
          'restore-table-to-point-in-time',
          'wait',
          'update-continuous-backups',
          'update-time-to-live',
          'update-table',
          'describe-table',
        ]);
        for (const words of restoring) await ministack.aws(words);
        const dynamo = new DynamoDBClient(service.aws);
        const named = { TableName: RESTORED };
        const [table, expiry, backups] = await Promise.all([
          dynamo.send(new DescribeTableCommand(named)),
          dynamo.send(new DescribeTimeToLiveCommand(named)),
          dynamo.send(new DescribeContinuousBackupsCommand(named)),
        ]);
        expect(table.Table?.DeletionProtectionEnabled).toBe(true);
        expect(expiry.TimeToLiveDescription).toMatchObject({
          TimeToLiveStatus: 'ENABLED',
          AttributeName: 'expires_at',
        });
        expect(backups.ContinuousBackupsDescription).toMatchObject({
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
        });
      },
      CDK_TIMEOUT,
    );

    test(
      'is taken over by a new stack, with an existing delivery log',
      async () => {
        const log = service.outputs[OUTPUTS.deliveryLogTable] ?? '';
        const context = [`stackName=${SECOND}`, `configurationTable=${RESTORED}`, `deliveryLogTable=${log}`];
        await cdk(
          ministack,
          folder,
          ...['deploy', '--require-approval', 'never', ...context.flatMap((one) => ['-c', one])],
        );
        second = await deployedService(ministack, SECOND);
        expect(second.outputs).toMatchObject({
          [OUTPUTS.configurationTable]: RESTORED,
          [OUTPUTS.deliveryLogTable]: log,
        });
        const ring = await ministack.aws([
          ...['secretsmanager', 'get-secret-value', ...sealingKey(service.outputs)],
          ...['--query', 'SecretString', '--output', 'text'],
        ]);
        await ministack.aws([
          ...['secretsmanager', 'put-secret-value', ...sealingKey(second.outputs)],
          ...['--secret-string', ring.trim()],
        ]);
      },
      CDK_TIMEOUT,
    );

    test(
      'serves a session and an event of the first stack’s configuration',
      async () => {
        const { url: gatewayUrl, region, credentials } = ministack;
        const there = operatorOf({ gatewayUrl, region, credentials, outputs: second.outputs });
        const system = { operator: there, service: second, receiver, prepared, patienceMs: 30_000 };
        const [, createsSession] = steps.find(([name]) => name.startsWith('a backend creates a session token')) ?? [];
        if (createsSession === undefined) throw new Error('The scenario has no step with a session token');
        await createsSession(system);
        const before = await there.deliveries(prepared.event.id);
        expect(before.length).toBeGreaterThan(3);

        const [orgId, siteId, mark] = [prepared.orgId, prepared.siteId, 'on the restored table'];
        await there.putEvent({ name: 'message.sent', orgId, siteId, data: { mark } });
        const [arrived] = await arrivals(system, '/event', (envelope) => envelope.data.mark === mark, 1);
        if (arrived === undefined) throw new Error('The event did not arrive');
        verifyWithStripe(arrived, prepared.event.secret);
        await until(async () => (await there.deliveries(prepared.event.id)).length === before.length + 1, 30_000);
      },
      CDK_TIMEOUT,
    );

    test(
      'is kept when that stack is deleted, and is deleted by the commands of docs/deploying.md',
      async () => {
        const cloudFormation = new CloudFormationClient(service.aws);
        await cloudFormation.send(new DeleteStackCommand({ StackName: SECOND }));
        await waitUntilStackDeleteComplete({ client: cloudFormation, maxWaitTime: 60 }, { StackName: SECOND });
        expect(await tables()).toEqual(expect.arrayContaining([RESTORED, service.outputs[OUTPUTS.deliveryLogTable]]));
        const values = { name: RESTORED, id: 'unused', ARN: 'unused', bucket: 'unused' };
        const stated = statedCommands('docs/deploying.md', 'New accounts', values);
        const [unprotect, remove] = stated.filter((words) => words.includes(RESTORED) && words[0] === 'dynamodb');
        if (unprotect === undefined || remove === undefined)
          throw new Error('The document has no commands to clean up');
        await expect(ministack.aws(remove)).rejects.toThrow('protect');
        await ministack.aws(unprotect);
        await ministack.aws(remove);
        expect(await tables()).not.toContain(RESTORED);
      },
      CDK_TIMEOUT,
    );
  });

  test(
    'deleting the stack deletes its functions, tables and queues',
    async () => {
      const { aws } = service;
      const cloudFormation = new CloudFormationClient(aws);
      await cloudFormation.send(new DeleteStackCommand({ StackName: STACK }));
      await waitUntilStackDeleteComplete({ client: cloudFormation, maxWaitTime: 60 }, { StackName: STACK });
      expect((await new LambdaClient(aws).send(new ListFunctionsCommand({}))).Functions).toEqual([]);
      expect((await new DynamoDBClient(aws).send(new ListTablesCommand({}))).TableNames).toEqual([]);
      const queues = await new SQSClient(aws).send(new ListQueuesCommand({ QueueNamePrefix: STACK }));
      expect(queues.QueueUrls ?? []).toEqual([]);
    },
    CDK_TIMEOUT,
  );
});

async function dispatcher({ aws }: Service) {
  const { Functions = [] } = await new LambdaClient(aws).send(new ListFunctionsCommand({}));
  return Functions.find(({ FunctionName }) => FunctionName?.startsWith(`${STACK}-DeliveriesDispatcher`));
}
