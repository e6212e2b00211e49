import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { DeploymentOptions } from '../../../lib/deployment-options.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { readDocument, tableRows } from '../../unit/docs/documents.ts';
import { type DeployedService, deployedService } from './deployed-service.ts';
import { describeEmulated } from './emulated-account.ts';

/**
 * Each option in an emulated account: a stack without options gets them, then other values, and then none again. What each did is read from the
 * resource, not from the template.
 */

const ACCOUNT = '0'.repeat(12);
const UUID = (digit: number) => `${digit}1111111-2222-3333-4444-555555555555`;
const topic = (name: string) => `arn:aws:sns:us-east-1:${ACCOUNT}:${name}`;
const ses = (identity: string) => `arn:aws:ses:us-east-1:${ACCOUNT}:identity/${identity}`;
const key = (digit: number) => `arn:aws:kms:us-east-1:${ACCOUNT}:key/mrk-${`${digit}`.repeat(32)}`;
/** A replica has a key of its own region. */
const replica = (Region: string) => ({ Region, KmsKeyId: expect.anything() });
const webAcl = (digit: number) => `arn:aws:wafv2:us-east-1:${ACCOUNT}:global/webacl/chat/${UUID(digit)}`;
const certificate = (digit: number) => `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/${UUID(digit)}`;

/** Reads a deployed stack. */
type Look = {
  readonly service: DeployedService;
  /** The answer of a command of AWS's command line; undefined when there is no such resource. */
  readonly aws: (command: string) => Promise<unknown>;
};
type Row = {
  /** The option's values when it is added and when it is changed. Undefined: it is left out again. */
  readonly set: {
    readonly [option in keyof DeploymentOptions]?: readonly [added: string, changed: string | undefined];
  };
  readonly seen: (look: Look) => Promise<unknown>;
  /** What is seen without the option, when it is added, and when it is changed. */
  readonly values: readonly [without: unknown, added: unknown, changed: unknown];
};

const ofFunction =
  (name: string, query: string, command = 'get-function-configuration') =>
  ({ aws, service }: Look) =>
    aws(`lambda ${command} --function-name ${service.physical(`${name}Function`)} --query ${query}`);
const variable = (name: string, variableName: string) => ofFunction(name, `Environment.Variables.${variableName}`);
const table = (variableName: string) => async (look: Look) => {
  const name = String(await variable('WidgetRoutesFormSubmit', variableName)(look));
  return name.startsWith('VaWave-Tables') ? 'of the stack' : name;
};
const distribution =
  (query: string) =>
  ({ aws, service }: Look) =>
    aws(
      `cloudfront get-distribution-config --id ${service.outputs[OUTPUTS.distributionId]} --query DistributionConfig.${query}`,
    );
const alarm =
  (name: string, query = '[AlarmActions,OKActions][]') =>
  ({ aws, service }: Look) =>
    aws(`cloudwatch describe-alarms --alarm-names ${service.physical(name)} --query MetricAlarms[0].${query}`);
/** Of a resource of the template that the emulator accepted, because the emulator keeps no such property. */
const stated =
  (logicalId: RegExp, property: string) =>
  async ({ aws }: Look) => {
    const resources = z
      .record(z.string(), z.object({ Properties: z.record(z.string(), z.unknown()).default({}) }))
      .parse(await aws('cloudformation get-template --stack-name VaWave --query TemplateBody.Resources'));
    return Object.entries(resources).find(([id]) => logicalId.test(id))?.[1].Properties[property];
  };
const concurrency =
  (name: string) =>
  async ({ service }: Look) => {
    const { EventSourceMappings = [] } = await new LambdaClient(service.aws).send(
      new ListEventSourceMappingsCommand({}),
    );
    return EventSourceMappings.find(({ FunctionArn }) => FunctionArn?.includes(name))?.ScalingConfig
      ?.MaximumConcurrency;
  };

const OPTION_ROWS = [
  {
    set: { logRetentionDays: ['90', '365'] },
    seen: stated(/^DeliveriesDispatcherLog/, 'RetentionInDays'),
    values: [7, 90, 365],
  },
  {
    set: { deliveryLogRetentionDays: ['9', '12'] },
    seen: variable('DeliveriesDispatcher', 'VA_WAVE_DELIVERY_LOG_RETENTION_DAYS'),
    values: ['7', '9', '12'],
  },
  {
    set: { eventSources: ['platform', 'platform,crm'] },
    seen: async (look) =>
      z.object({ source: z.unknown().optional() }).parse(await stated(/^MessagingUnknownNames/, 'EventPattern')(look))
        .source,
    values: [undefined, ['platform'], ['platform', 'crm']],
  },
  { set: { deliveriesPerSecond: ['3000', '4000'] }, seen: concurrency('EventRouter'), values: [20, 30, 40] },
  { set: { deliveryConcurrency: ['7', '9'] }, seen: concurrency('Dispatcher'), values: [490, 7, 9] },
  {
    set: { accountConcurrency: ['2000', '3000'] },
    seen: alarm('MonitoringAccountConcurrency', 'Threshold'),
    values: [800, 1600, 2400],
  },
  {
    set: { alarmTopic: [topic('one'), topic('two')] },
    seen: alarm('ApiServerErrors'),
    values: [[], [topic('one'), topic('one')], [topic('two'), topic('two')]],
  },
  {
    set: { ticketTopic: [topic('three'), topic('four')] },
    seen: alarm('ApiNearThrottle'),
    values: [[], [topic('three'), topic('three')], [topic('four'), topic('four')]],
  },
  {
    set: { domainName: ['one.example.com', 'two.example.com'], certificate: [certificate(1), certificate(2)] },
    seen: distribution('[Aliases.Items[0],ViewerCertificate.ACMCertificateArn]'),
    values: [
      [null, null],
      ['one.example.com', certificate(1)],
      ['two.example.com', certificate(2)],
    ],
  },
  {
    set: { webAclArn: [webAcl(1), webAcl(2)] },
    seen: distribution('WebACLId'),
    values: [undefined, webAcl(1), webAcl(2)],
  },
  {
    set: {
      vpc: ['vpc-01234567', 'vpc-89abcdef'],
      vpcSubnets: ['subnet-01234567', 'subnet-89abcdef'],
      securityGroups: ['sg-01234567', 'sg-89abcdef'],
    },
    seen: stated(/^DeliveriesDispatcherFunction[0-9A-F]{8}$/, 'VpcConfig'),
    values: [
      undefined,
      { SubnetIds: ['subnet-01234567'], SecurityGroupIds: ['sg-01234567'] },
      { SubnetIds: ['subnet-89abcdef'], SecurityGroupIds: ['sg-89abcdef'] },
    ],
  },
  {
    set: { platformAccounts: ['1'.repeat(12), `${'1'.repeat(12)},${'2'.repeat(12)}`] },
    seen: async ({ aws, service }) => {
      const policy = await aws(
        `lambda get-policy --function-name ${service.physical('AssistantRuntimeAiActionFunction')} --qualifier live --query Policy`,
      );
      return String(policy).match(/(\d)\1{11}(?=:root|")/g)?.length ?? 0;
    },
    values: [0, 1, 2],
  },
  {
    set: { encryptionKey: [key(1), key(2)] },
    seen: async ({ service }) => {
      const asked = { QueueUrl: service.outputs[OUTPUTS.deliveriesQueue], AttributeNames: ['All' as const] };
      return (await new SQSClient(service.aws).send(new GetQueueAttributesCommand(asked))).Attributes?.KmsMasterKeyId;
    },
    values: [undefined, key(1), key(2)],
  },
  {
    set: { edgeAccessLog: ['true', 'false'] },
    seen: ({ aws }) => aws("s3api list-buckets --query length(Buckets[?contains(Name,'accesslogs')])"),
    values: [0, 1, 0],
  },
  {
    set: { requiredMfa: ['true', 'false'] },
    seen: ({ aws, service }) =>
      aws(
        `cognito-idp describe-user-pool --user-pool-id ${service.outputs[OUTPUTS.userPool]} --query UserPool.MfaConfiguration`,
      ),
    values: ['OPTIONAL', 'ON', 'OPTIONAL'],
  },
  {
    set: {
      emailFrom: ['one@example.com', 'two@example.com'],
      emailIdentity: [ses('example.com'), ses('two@example.com')],
    },
    seen: stated(/^LoginPool[0-9A-F]{8}$/, 'EmailConfiguration'),
    values: [
      undefined,
      { EmailSendingAccount: 'DEVELOPER', From: 'one@example.com', SourceArn: ses('example.com') },
      { EmailSendingAccount: 'DEVELOPER', From: 'two@example.com', SourceArn: ses('two@example.com') },
    ],
  },
  {
    set: { identityProviders: ['Okta', 'Okta,Entra'] },
    seen: ({ aws, service }) =>
      aws(
        `cognito-idp describe-user-pool-client --user-pool-id ${service.outputs[OUTPUTS.userPool]} --client-id ${service.physical('LoginClient')} --query UserPoolClient.SupportedIdentityProviders`,
      ),
    values: [['COGNITO'], ['COGNITO', 'Okta'], ['COGNITO', 'Okta', 'Entra']],
  },
  {
    set: { gradual: ['true', 'without-alarms'] },
    seen: ofFunction('DeliveriesDispatcher', 'Aliases[].Name', 'list-aliases'),
    values: [[], ['live'], ['live']],
  },
  {
    set: { tracing: ['true', 'false'] },
    seen: variable('DeliveriesDispatcher', 'VA_WAVE_TRACING'),
    values: [undefined, 'true', undefined],
  },
  {
    set: { canary: ['true', 'false'] },
    seen: async ({ service }) => service.physical('CanaryEveryFiveMinutes') !== '',
    values: [false, true, false],
  },
  {
    set: { originSecretVersion: ['<first version>', '<second version>'] },
    seen: async (look) =>
      String(await distribution('Origins.Items[1].CustomHeaders.Items[0].HeaderValue')(look)).slice(0, 6),
    values: [expect.any(String), expect.any(String), 'second'],
  },
  {
    set: { sealingKeyReplicaRegion: ['eu-west-1', 'eu-central-1'] },
    seen: stated(/^KeysSealing/, 'ReplicaRegions'),
    values: [undefined, [replica('eu-west-1')], [replica('eu-central-1')]],
  },
  {
    set: { configurationTable: ['kept-configuration', 'restored-configuration'] },
    seen: table('VA_WAVE_CONFIGURATION_TABLE'),
    values: ['of the stack', 'kept-configuration', 'restored-configuration'],
  },
  {
    set: { conversationsTable: ['kept-conversations', 'restored-conversations'] },
    seen: table('VA_WAVE_CONVERSATIONS_TABLE'),
    values: ['of the stack', 'kept-conversations', 'restored-conversations'],
  },
  {
    set: { deliveryLogTable: ['kept-log', 'restored-log'] },
    seen: table('VA_WAVE_DELIVERY_LOG_TABLE'),
    values: ['of the stack', 'kept-log', 'restored-log'],
  },
] as const satisfies readonly Row[];
const ROWS: readonly Row[] = OPTION_ROWS;
type OptionOf<OneRow> = OneRow extends Row ? keyof OneRow['set'] : never;

/** What this account cannot show of an option, and why. Everything else of the option is in the table or in the suite that is named. */
const ELSEWHERE: Readonly<Record<Exclude<keyof DeploymentOptions, OptionOf<(typeof OPTION_ROWS)[number]>>, string>> = {
  stage: 'another stage is another stack: deploying.night.test.ts deploys prod, this suite dev',
  stackName: 'another name is another stack: deploying.night.test.ts deploys one beside the first',
  fixedEgress: 'the emulator refuses AWS::EC2::EIP, AWS::EC2::FlowLog and AWS::EC2::NatGateway',
  deliveryLogRecovery: 'the table of the option deliveryLogTable takes the place of the one that it is about',
  eventArchive:
    'the emulator refuses AWS::Events::Archive; runbook.night.test.ts replays an archive that a command creates',
};
/** The parts of options in the table that the emulator does not have: app.ts leaves them out, or it ignores them. */
const WITHOUT: Readonly<Record<string, string>> = {
  gradual: 'CodeDeploy',
  edgeAccessLog: 'the calls in us-east-1 that connect the bucket',
  platformAccounts: 'the policy of the bus',
  accountConcurrency: 'reservations of concurrency',
  vpc: 'functions in a network',
  sealingKeyReplicaRegion: 'the removal of a replica',
};

const PHASES = ['before', 'added', 'changed', 'removed'] as const;

describeEmulated('each option', (account) => {
  /** What was seen of each row in each phase. */
  const seen: unknown[][] = ROWS.map(() => []);
  const versions = new Map<string, string>();

  beforeAll(() => account.bootstrap());
  afterAll(() => {
    for (const [option, why] of Object.entries(ELSEWHERE))
      process.stderr.write(`Not here: ${option}, because ${why}\n`);
    for (const [option, part] of Object.entries(WITHOUT)) {
      process.stderr.write(`Emulated without ${part}: ${option}\n`);
    }
  });

  test.each(PHASES)('cdk deploy with the options %s', async (phase) => {
    const at = phase === 'added' ? 0 : phase === 'changed' ? 1 : undefined;
    const words = ROWS.flatMap(({ set }) => Object.entries(set)).flatMap(([name, values]) => {
      const value = at === undefined ? undefined : values[at];
      return value === undefined ? [] : ['-c', `${name}=${versions.get(value) ?? value}`];
    });
    await account.deploy(...words);
    const service = await deployedService(account.ministack, 'VaWave');
    const aws = async (command: string): Promise<unknown> => {
      const text = await account.ministack.aws([...command.split(' '), '--output', 'json']).catch(() => '');
      return text.trim() === '' || text.trim() === 'null' ? undefined : JSON.parse(text);
    };
    for (const [index, row] of ROWS.entries()) seen[index]?.push(await row.seen({ service, aws }));
    if (phase !== 'before') return;
    const secret = `--secret-id ${service.outputs[OUTPUTS.originSecret]}`;
    const versionOf = async (command: string) =>
      String(await aws(`secretsmanager ${command} ${secret} --query VersionId`));
    versions.set('<first version>', await versionOf('get-secret-value'));
    versions.set('<second version>', await versionOf('put-secret-value --secret-string second'));
  });

  test.each(ROWS.map((row, index) => [Object.keys(row.set).join(', '), row, index] as const))('%s', (_, row, index) => {
    const [without, added, changed] = row.values;
    expect(seen[index]).toEqual([without, added, changed, without]);
  });

  test('every option is in the table, or printed with the reason', () => {
    const page = tableRows(
      readDocument('docs/deploying.md'),
      '| Option | Default | What it does, and who needs it | Price |',
    );
    const names = page.flatMap(([options = '']) => [...options.matchAll(/`(\w+)=/g)].map(([, name = '']) => name));
    expect([...ROWS.flatMap(({ set }) => Object.keys(set)), ...Object.keys(ELSEWHERE)].sort()).toEqual(
      [...new Set(names)].sort(),
    );
  });
});
