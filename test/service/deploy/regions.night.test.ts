import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { until } from '../../harness/until.ts';
import { documentedCommands } from '../../unit/docs/documented-commands.ts';
import { operatorOf } from '../acceptance/operator.ts';
import { deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';
import { installPrograms } from './programs.ts';

/**
 * Follows the runbook's "Loss of a region" from us-east-1 to eu-west-1. AWS Backup and the replica of a secret are played by this test, because the
 * emulator has neither: it copies the table and the sealing key.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const CERTIFICATE = `arn:aws:acm:us-east-1:${'0'.repeat(12)}:certificate/11111111-2222-3333-4444-555555555555`;
const COPIED = 'va-wave-copied';
const RUNBOOK = documentedCommands('docs/runbook.md');
const SECTION = RUNBOOK.filter(({ heading }) => heading === 'Loss of a region').map(({ text }) => text);
const COPY_OF_KEY = RUNBOOK.find(({ text }) => text.includes('<ARN of the old sealing key>'))?.text ?? '';

describeEmulated('the loss of a region', (account) => {
  const project = join(account.folder, 'project');
  const context = (stacks: object) =>
    writeFileSync(join(project, 'cdk.json'), JSON.stringify({ context: { stacks: { VaWave: {}, ...stacks } } }));
  /** What the operator has exported. */
  let exported: Readonly<Record<string, string>> = {};

  async function shell(text: string): Promise<string> {
    const env = {
      ...account.ministack.environment(join(account.folder, 'bin')),
      CDK_APP: `"${process.execPath}" "${root}test/service/deploy/app.ts" prod`,
      CDK_OUTPUT: join(account.folder, 'cdk.out'),
      CDK_REQUIRE_APPROVAL: 'never',
      ...exported,
    };
    const { stdout } = await promisify(execFile)('sh', ['-c', text], { cwd: project, env, maxBuffer: 64 * 1024 ** 2 });
    return stdout;
  }
  const command = (pattern: RegExp) => SECTION.find((text) => pattern.test(text)) ?? `echo no ${pattern}; exit 1`;
  const service = (stack: string, region: string) => deployedService({ ...account.ministack, region }, stack);
  const operator = async (stack: string, region: string) => {
    const { url: gatewayUrl, credentials } = account.ministack;
    return operatorOf({ gatewayUrl, region, credentials, outputs: (await service(stack, region)).outputs });
  };
  let ids = { org_id: '', site_id: '', action_id: '' };
  let signingSecret = '';
  let replica = '';

  beforeAll(async () => {
    mkdirSync(project);
    installPrograms(join(account.folder, 'bin'), project);
    context({});
    await shell('npx cdk bootstrap');
    await shell('npx cdk deploy');
    const before = await operator('VaWave', 'us-east-1');
    const org_id = await before.createOrganization('Lost', 'paid');
    const site_id = await before.createAssistant(org_id, { domain: 'a.example', hourlyRateLimit: 1000 });
    const url = account.receiver.url('/lost');
    const action_id = await before.createAction(site_id, {
      trigger: 'Event',
      name: 'Lost',
      url,
      events: ['message.sent'],
    });
    ids = { org_id, site_id, action_id };
    signingSecret = await shell(`npx --no-install va-wave action secret ${action_id}`);
    await shell(command(/org list --deleted/));

    const { aws, outputs } = await service('VaWave', 'us-east-1');
    const there = { ...aws, region: 'eu-west-1' };
    const SecretId = outputs[OUTPUTS.sealingKey] ?? '';
    const { Name, SecretString } = await new SecretsManagerClient(aws).send(new GetSecretValueCommand({ SecretId }));
    replica = (await new SecretsManagerClient(there).send(new CreateSecretCommand({ Name, SecretString }))).ARN ?? '';
    const { Items = [] } = await new DynamoDBClient(aws).send(
      new ScanCommand({ TableName: outputs[OUTPUTS.configurationTable] }),
    );
    const copied = new DynamoDBClient(there);
    const keys = ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));
    await copied.send(
      new CreateTableCommand({
        TableName: COPIED,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys,
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
    for (const Item of Items) await copied.send(new PutItemCommand({ TableName: COPIED, Item }));
  });

  test('the stack is deployed in the other region, beside the options of the lost one', async () => {
    const [, region, stack] = /^export AWS_REGION=(\S+) VA_WAVE_STACK=(\S+)$/.exec(command(/^export/)) ?? [];
    expect([region, stack]).toEqual(['eu-west-1', 'VaWave2']);
    // The version of AWS's command line in this suite reads the second name only.
    exported = { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-1', VA_WAVE_STACK: 'VaWave2' };
    context({ VaWave2: { region: 'eu-west-1', configurationTable: COPIED, certificate: CERTIFICATE } });
    await shell(command(/cdk bootstrap/));
    await shell(command(/cdk deploy/));
  });

  test('the copied sealing key opens the signing secrets', async () => {
    const { outputs } = await service('VaWave2', 'eu-west-1');
    const opens = command(/action secret/).replace('<action_id>', ids.action_id);
    await expect(shell(opens)).rejects.toThrow();
    const filled = COPY_OF_KEY.replace('<ARN of the old sealing key>', replica);
    await shell(filled.replace('<SealingKeySecret output>', outputs[OUTPUTS.sealingKey] ?? ''));
    expect(await shell(opens)).toBe(signingSecret);
  });

  test('an event on the bus of the other region reaches its Action once', async () => {
    const { org_id: orgId, site_id: siteId } = ids;
    const { putEvent, deliveries } = await operator('VaWave2', 'eu-west-1');
    await putEvent({ name: 'message.sent', orgId, siteId, data: { from: 'eu-west-1' } });
    await until(() => account.receiver.to('/lost').length > 0, 60_000);
    await until(async () => (await deliveries(ids.action_id))[0]?.state === 'succeeded', 60_000);
    // A second delivery would follow within the visibility timeout of the queue.
    await pause(35_000);
    expect(account.receiver.to('/lost').map(({ body }) => JSON.parse(`${body}`).data)).toEqual([{ from: 'eu-west-1' }]);
    expect((await deliveries(ids.action_id)).map(({ attempt, state }) => [attempt, state])).toEqual([[1, 'succeeded']]);
  });

  test('the distribution gets the domain name, as far as the emulator moves it', async () => {
    await expect(shell(command(/associate-alias/).replace(/<.*?>/, 'E2EXAMPLE'))).rejects.toThrow('AssociateAlias');
    context({
      VaWave2: {
        region: 'eu-west-1',
        configurationTable: COPIED,
        certificate: CERTIFICATE,
        domainName: 'chat.example.com',
      },
    });
    await shell(command(/cdk deploy/));
    expect((await service('VaWave2', 'eu-west-1')).outputs[OUTPUTS.baseUrl]).toBe('https://chat.example.com');
  });

  test('an admin is a member again', async () => {
    const add = command(/member add/)
      .replace('<org_id>', ids.org_id)
      .replace('<address>', 'admin@a.example');
    await shell(add);
    expect(await shell(`npx --no-install va-wave member list --org ${ids.org_id}`)).toContain('admin@a.example');
  });
});
