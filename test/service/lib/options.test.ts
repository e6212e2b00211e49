import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { OPTION_NAMES } from '../../../lib/deployment-options.ts';
import { STAGES } from '../../../lib/stage.ts';
import { FUNCTIONS, logOutput } from '../../../src/deployment/outputs.ts';
import { ALL_OPTIONS, EXISTING_NETWORK, NAGGED, TESTED } from './deployment-choices.ts';
import { bringsAlong, findings, grantsOf, lookUpsOf, nameOf, synthesize } from './synthesized.ts';

const prod = synthesize();
const dev = synthesize('development');
const full = synthesize('production with every option');
const network = synthesize('every option in a network that exists');

/** Returns the resources of a type by the id of their construct, without the functions that serve no request. */
const ofType = (template: Template, type: string) =>
  Object.fromEntries(
    Object.entries(template.findResources(type))
      .filter(([id]) => !bringsAlong(id))
      .map(([id, resource]) => [nameOf(id), resource]),
  );

test.each(NAGGED)('cdk-nag (AwsSolutions) finds only what is acknowledged with a reason in: %s', (choice) => {
  expect(findings(choice)).toBeNull();
});

test.each(Object.keys(TESTED))('the synthesis needs no account and no network: %s', (choice) => {
  expect(lookUpsOf(choice)).toEqual([]);
});

const LOGGING = {
  production: [prod, 'RetainExceptOnCreate'],
  development: [dev, 'Delete'],
  'production with every option': [full, 'RetainExceptOnCreate'],
  'every option in a network that exists': [network, 'RetainExceptOnCreate'],
} as const;
test.each(Object.entries(LOGGING))('%s: every function writes into a log of the template', (_, [template, fate]) => {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  expect(functions.length).toBeGreaterThan(12);
  // Lambda creates the log of a function that names none, and nothing deletes it.
  const groups = functions.map(([, { Properties }]) => Properties.LoggingConfig?.LogGroup?.Ref);
  const logs = template.findResources('AWS::Logs::LogGroup');
  expect(groups.filter((id) => logs[id] === undefined)).toEqual([]);
  for (const { DeletionPolicy } of Object.values(logs)) expect(DeletionPolicy).toBe(fate);
});

describe('a stage', () => {
  test('is a separate stack, and differs only in deletion policies and retention', () => {
    expect(STAGES.dev.stackName).not.toBe(STAGES.prod.stackName);
    const perStage =
      /^(DeletionPolicy|UpdateReplacePolicy|DeletionProtection.*|RetentionInDays|VA_WAVE_DELIVERY_LOG_RETENTION_DAYS)$/;
    const same = (template: Template) => {
      const text = JSON.stringify(template.toJSON().Resources, (name, value) =>
        // The tags and the policy of a bucket permit the CDK to empty it.
        perStage.test(name) || (name === 'Tags' && JSON.stringify(value).includes('aws-cdk:')) ? undefined : value,
      );
      const resources: Record<string, { Type: string }> = JSON.parse(text);
      const emptying = ['Custom::S3AutoDeleteObjects', 'AWS::S3::BucketPolicy'];
      return Object.entries(resources)
        .filter(([id, { Type }]) => !emptying.includes(Type) && !id.startsWith('CustomS3AutoDeleteObjects'))
        .map(([id, { Type, ...resource }]) => [id, Type, 'Properties' in resource ? resource.Properties : undefined]);
    };
    expect(same(dev)).toEqual(same(prod));
  });

  test('of development empties its bucket, and keeps logs for a week', () => {
    dev.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
    prod.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
    dev.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
    prod.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });
});

const KEY = ALL_OPTIONS.encryptionKey;
/** The functions whose code sends requests to endpoints. */
const OUTBOUND = new RegExp(
  `(${FUNCTIONS.filter((name) => readFileSync(`lambdas/${name}/handler.ts`, 'utf8').includes('outboundParts('))
    .map((name) => logOutput(name).slice('LogOf'.length))
    .join('|')})Function`,
);
const variables = (values: Readonly<Record<string, string>>) => ({ Environment: { Variables: values } });

type Effect = readonly [option: string, type: string, resources: RegExp, properties: object];
/** What each option changes. Other resources of the type do not have these properties, and without options none has. */
const EFFECTS: readonly Effect[] = [
  [
    'domainName, certificate, webAclArn',
    'CloudFront::Distribution',
    /./,
    {
      DistributionConfig: {
        Aliases: [ALL_OPTIONS.domainName],
        ViewerCertificate: {
          AcmCertificateArn: ALL_OPTIONS.certificate,
          MinimumProtocolVersion: 'TLSv1.2_2021',
          SslSupportMethod: 'sni-only',
        },
        WebACLId: ALL_OPTIONS.webAclArn,
      },
    },
  ],
  [
    'domainName, identityProviders',
    'Cognito::UserPoolClient',
    /./,
    {
      CallbackURLs: [`https://${ALL_OPTIONS.domainName}/dashboard/callback`],
      SupportedIdentityProviders: ['COGNITO', 'Okta'],
      // Cognito refuses the login of a provider whose mapped address the client may not write.
      WriteAttributes: ['email', 'locale'],
    },
  ],
  ['eventSources', 'Events::Rule', /^MessagingUnknownNames/, { EventPattern: { source: ALL_OPTIONS.eventSources } }],
  ['requiredMfa', 'Cognito::UserPool', /./, { MfaConfiguration: 'ON' }],
  [
    'emailFrom, emailIdentity',
    'Cognito::UserPool',
    /./,
    {
      EmailConfiguration: {
        EmailSendingAccount: 'DEVELOPER',
        From: ALL_OPTIONS.emailFrom,
        SourceArn: ALL_OPTIONS.emailIdentity,
      },
    },
  ],
  [
    'webAclArn',
    'Lambda::Function',
    /^WidgetRoutes(FormSubmit|Preflight|WidgetInit)Function/,
    variables({ VA_WAVE_DISTRIBUTION_ONLY: 'true' }),
  ],
  [
    'accountConcurrency',
    'Lambda::Function',
    /(AiAction|UsageReport|ActionTest|FormSubmit)Function/,
    { ReservedConcurrentExecutions: expect.any(Number) },
  ],
  [
    'deliveryLogRetentionDays',
    'Lambda::Function',
    /(Dispatcher|EventRouter|AiAction|UsageReport|ActionTest|FormSubmit)Function/,
    variables({ VA_WAVE_DELIVERY_LOG_RETENTION_DAYS: '90' }),
  ],
  ['deliveriesPerSecond', 'Lambda::EventSourceMapping', /EventRouter/, { ScalingConfig: { MaximumConcurrency: 400 } }],
  [
    'deliveryConcurrency',
    'Lambda::EventSourceMapping',
    /Dispatcher/,
    { ScalingConfig: { MaximumConcurrency: ALL_OPTIONS.deliveryConcurrency } },
  ],
  ['canary', 'SecretsManager::Secret', /^CanaryServerKey/, { Description: expect.stringContaining('canary') }],
  ['gradual', 'CodeDeploy::DeploymentGroup', /./, { AutoRollbackConfiguration: { Enabled: true } }],
  ['logRetentionDays', 'Logs::LogGroup', /./, { RetentionInDays: 365 }],
  ['fixedEgress', 'Lambda::Function', OUTBOUND, { VpcConfig: expect.anything() }],
  ['fixedEgress', 'EC2::EIP', /./, { Domain: 'vpc' }],
  [
    'tracing',
    'Lambda::Function',
    /./,
    { TracingConfig: { Mode: 'Active' }, ...variables({ VA_WAVE_TRACING: 'true' }) },
  ],
  ['encryptionKey', 'DynamoDB::Table', /./, { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: KEY } }],
  ['encryptionKey', 'SQS::Queue', /./, { KmsMasterKeyId: KEY, SqsManagedSseEnabled: false }],
  ['encryptionKey', 'Logs::LogGroup', /./, { KmsKeyId: KEY }],
  ['encryptionKey', 'SecretsManager::Secret', /./, { KmsKeyId: KEY }],
  [
    'eventArchive, encryptionKey',
    'Events::Archive',
    /./,
    { KmsKeyIdentifier: KEY, RetentionDays: ALL_OPTIONS.eventArchive },
  ],
  [
    'sealingKeyReplicaRegion',
    'SecretsManager::Secret',
    /^KeysSealing/,
    {
      ReplicaRegions: [
        {
          Region: ALL_OPTIONS.sealingKeyReplicaRegion,
          KmsKeyId: expect.objectContaining({ 'Fn::Join': expect.anything() }),
        },
      ],
    },
  ],
  [
    // A platform reports nothing in the name of the service.
    'platformAccounts',
    'Events::EventBusPolicy',
    /./,
    {
      Statement: {
        Effect: 'Allow',
        Action: 'events:PutEvents',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingBus/), 'Arn'] },
        Condition: {
          'ForAllValues:StringNotEquals': { 'events:source': 'va-wave' },
          Null: { 'events:source': 'false' },
        },
      },
    },
  ],
];

const HERE = 'options.test.ts';
const TABLES = 'existing tables are not created, but named in outputs, environments and permissions';
const SEVERITIES =
  'alarmTopic and ticketTopic receive each alarm of their severity, when it is raised and when it ends';
const NETWORK = 'vpc puts the outbound functions into a network that exists, and creates none';
/** The test of each other option, by its file and its name. It names the option. */
const TRIED_ELSEWHERE: Readonly<Record<string, readonly [file: string, test: string]>> = {
  stackName: ['accounts.test.ts', 'in %s, the stack is called %s and its termination protection is %p'],
  stage: [HERE, 'is a separate stack, and differs only in deletion policies and retention'],
  alarmTopic: [HERE, SEVERITIES],
  ticketTopic: [HERE, SEVERITIES],
  deliveryLogRecovery: [HERE, 'deliveryLogRecovery recovers the delivery log as the other tables'],
  vpc: [HERE, NETWORK],
  vpcSubnets: [HERE, NETWORK],
  securityGroups: [HERE, NETWORK],
  edgeAccessLog: [
    'accounts.test.ts',
    'gets its access logs (edgeAccessLog) through calls to us-east-1, because CloudFront’s older logging excludes opt-in regions',
  ],
  originSecretVersion: [HERE, 'is in the outputs that the command line and customers need'],
  configurationTable: ['accounts.test.ts', TABLES],
  conversationsTable: ['accounts.test.ts', TABLES],
  deliveryLogTable: ['accounts.test.ts', TABLES],
};

test('every option has its effect here, or names the test that tries it', () => {
  const names = [...EFFECTS.flatMap(([options]) => options.split(', ')), ...Object.keys(TRIED_ELSEWHERE)];
  expect([...new Set(names)].sort()).toEqual([...OPTION_NAMES].sort());
  const isTried = ([option, [file, name]]: [string, readonly [file: string, test: string]]) => {
    // Without this table, which has all names.
    const code = readFileSync(join(import.meta.dirname, file), 'utf8').replace(/^const HERE.*?\n};\n/ms, '');
    const tests = code.split(/^ *(?=(?:test|describe)[.(])/m);
    const [own, ...others] = tests.filter((text) => text.includes(`'${name}'`));
    return others.length === 0 && new RegExp(`${option}s?\\b`, 'i').test((own ?? '').replaceAll('_', ''));
  };
  expect(Object.entries(TRIED_ELSEWHERE).filter((place) => !isTried(place))).toEqual([]);
});

describe('an option', () => {
  test.each(EFFECTS)('%s: %s %s has %j', (_, type, resources, properties) => {
    const all = Object.entries(ofType(full, `AWS::${type}`));
    const [changed, others] = [true, false].map((is) => all.filter(([name]) => resources.test(name) === is));
    expect(changed?.length).toBeGreaterThan(0);
    for (const [, { Properties }] of changed ?? []) expect(Properties).toMatchObject(properties);
    for (const { Properties = {} } of [
      ...(others ?? []).map(([, one]) => one),
      ...Object.values(ofType(prod, `AWS::${type}`)),
    ]) {
      expect(Properties).not.toMatchObject(properties);
    }
  });

  test('is in the outputs that the command line and customers need', () => {
    full.hasOutput('BaseUrl', { Value: 'https://chat.example.com' });
    full.hasOutput('DashboardUrl', { Value: 'https://chat.example.com/dashboard/' });
    full.hasOutput('EgressAddresses', {});
    full.hasOutput('EventArchiveDays', { Value: '30' });
    // Without it, the command line cannot know whether a rotation is finished.
    full.hasOutput('OriginSecretVersion', { Value: ALL_OPTIONS.originSecretVersion });
    expect(JSON.stringify(full.findResources('AWS::CloudFront::Distribution'))).toContain(
      `:SecretString:::${ALL_OPTIONS.originSecretVersion}}}`,
    );
    expect(JSON.stringify(full.findOutputs('AiActionFunction'))).toContain('AssistantRuntimeAiActionLive');
  });

  test('deliveryLogRecovery recovers the delivery log as the other tables', () => {
    for (const [template, expected] of [
      [prod, [false, true, true, true]],
      [full, [true, true, true, true]],
    ] as const) {
      const tables = Object.values(template.findResources('AWS::DynamoDB::Table'));
      const recovered = tables.map(
        ({ Properties }) => Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
      );
      expect(recovered.sort()).toEqual(expected);
    }
  });

  test('webAclArn lets preflights read the origin secret', () => {
    expect(grantsOf(full, 'WidgetRoutesPreflightRole')).toContainEqual(
      expect.stringMatching('GetSecretValue KeysOrigin'),
    );
  });

  test('alarmTopic and ticketTopic receive each alarm of their severity, when it is raised and when it ends', () => {
    for (const { Properties } of Object.values(full.findResources('AWS::CloudWatch::Alarm'))) {
      const topic = Properties.AlarmDescription['Fn::Sub'].startsWith('page: ') ? 'alarmTopic' : 'ticketTopic';
      expect([Properties.AlarmActions, Properties.OKActions]).toEqual([[ALL_OPTIONS[topic]], [ALL_OPTIONS[topic]]]);
    }
  });

  test('fixedEgress keeps its addresses when the stack is deleted, and takes no inbound connection', () => {
    full.resourceCountIs('AWS::EC2::NatGateway', 2);
    full.allResources('AWS::EC2::EIP', { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(JSON.stringify(full.findResources('AWS::EC2::SecurityGroup'))).not.toContain('SecurityGroupIngress');
    full.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });

  test('fixedEgress and vpc give the code of a function no permission on networks', () => {
    const policies = Object.entries(ofType(full, 'AWS::IAM::Policy')).map(
      ([name, { Properties }]) => [name, JSON.stringify(Properties.PolicyDocument)] as const,
    );
    const attaching = policies.filter(([, text]) => text.includes('ec2:CreateNetworkInterface'));
    expect(attaching).toHaveLength(5);
    for (const [, text] of attaching) expect(text).toMatch(/(?=.*"Effect":"Deny").*lambda:SourceFunctionArn/);
  });

  test('vpc puts the outbound functions into a network that exists, and creates none', () => {
    const inside = Object.entries(ofType(network, 'AWS::Lambda::Function')).filter(
      ([, one]) => one.Properties.VpcConfig,
    );
    expect(inside.map(([name]) => OUTBOUND.test(name))).toEqual(Array(5).fill(true));
    for (const [, { Properties }] of inside) {
      expect(Properties.VpcConfig).toEqual({
        SubnetIds: EXISTING_NETWORK.vpcSubnets,
        SecurityGroupIds: EXISTING_NETWORK.securityGroups,
      });
    }
    for (const type of ['VPC', 'NatGateway', 'EIP']) network.resourceCountIs(`AWS::EC2::${type}`, 0);
    expect(network.findOutputs('EgressAddresses')).toEqual({});
  });

  test('platformAccounts lets each account or role put events, and invoke the functions of the assistant runtime only', () => {
    const principals = JSON.stringify(full.findResources('AWS::Events::EventBusPolicy'));
    for (const account of ALL_OPTIONS.platformAccounts) expect(principals).toContain(account);
    const allowed = Object.values(full.findResources('AWS::Lambda::Permission')).flatMap(({ Properties }) =>
      String(Properties.Principal).endsWith('.amazonaws.com')
        ? []
        : [`${Properties.PrincipalOrgID ?? Properties.Principal} ${nameOf(String(Properties.FunctionName.Ref))}`],
    );
    expect(allowed.sort()).toEqual(
      ALL_OPTIONS.platformAccounts
        .flatMap((one) => [`${one} AssistantRuntimeAiActionLive`, `${one} AssistantRuntimeUsageReportLive`])
        .sort(),
    );
  });

  test('encryptionKey is usable by each function through the services that it calls, and not directly', () => {
    type Statement = { Action: unknown; Resource: unknown; Condition?: { StringEquals?: Record<string, unknown> } };
    const uses = Object.entries(ofType(full, 'AWS::IAM::Policy')).flatMap(([name, { Properties }]) =>
      Properties.PolicyDocument.Statement.filter(({ Action }: Statement) =>
        JSON.stringify(Action).includes('kms:'),
      ).map(({ Resource, Condition }: Statement) => {
        expect(Resource).toBe(KEY);
        const services = JSON.stringify(Condition?.StringEquals?.['kms:ViaService']).match(/\w+(?=\.")/g);
        return [name.replace('RoleDefaultPolicy', ''), services];
      }),
    );
    expect(Object.fromEntries(uses)).toMatchObject({
      DeliveriesDispatcher: ['dynamodb', 'secretsmanager', 'sqs'],
      DeliveriesEventRouter: ['dynamodb', 'sqs'],
      KeysKeyRotation: ['secretsmanager'],
      WidgetRoutesFormSubmit: ['dynamodb', 'secretsmanager', 'sns'],
    });
    expect(uses.map(([name]) => name)).not.toContain('ApiNotFound');
  });
});

describe('gradual releases', () => {
  const aliases = Object.keys(ofType(full, 'AWS::Lambda::Alias'));
  const groups = ofType(full, 'AWS::CodeDeploy::DeploymentGroup');
  const OF_RELEASE = [
    ...['ApiErrors', 'ApiServerErrors', 'AssistantRuntimeErrors', 'CanaryFailed', 'DashboardErrors'],
    ...['DeliveriesErrors', 'DeliveriesFailedMessages', 'WidgetRoutesErrors', 'WidgetRoutesSlow'],
  ];

  test('cover every function that no schedule invokes, and are what routes and queues call', () => {
    const functions = Object.keys(ofType(full, 'AWS::Lambda::Function')).map((name) =>
      name.replace(/Function$/, 'Live'),
    );
    expect(aliases.sort()).toEqual(functions.filter((name) => !/^(Canary|KeysKeyRotation)/.test(name)).sort());
    expect(Object.keys(groups)).toHaveLength(aliases.length);
    const targets = ['AWS::ApiGatewayV2::Integration', 'AWS::Lambda::EventSourceMapping'].flatMap((type) =>
      Object.values(full.findResources(type)).map(({ Properties }) => {
        const target = JSON.stringify(Properties.IntegrationUri ?? Properties.FunctionName);
        return nameOf(/"Ref":"(\w+)"/.exec(target)?.[1] ?? '');
      }),
    );
    expect(targets.length).toBeGreaterThan(7);
    for (const target of targets) expect(aliases).toContain(target);
  });

  test.each(Object.entries(groups))('%s rolls back on each alarm of the release', (name, { Properties }) => {
    const alarms: { Name: { Ref: string } }[] = Properties.AlarmConfiguration.Alarms;
    expect(alarms.map(({ Name }) => nameOf(Name.Ref)).sort()).toEqual(OF_RELEASE);
    expect(Properties.AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
    // Older code refuses newer messages, so router and dispatcher shift almost at once.
    const almostAtOnce = typeof Properties.DeploymentConfigName !== 'string';
    expect(almostAtOnce).toBe(/^Releases(dispatcher|eventrouter)$/.test(name));
  });

  test('of messages shift 99 %', () => {
    full.hasResourceProperties('AWS::CodeDeploy::DeploymentConfig', {
      TrafficRoutingConfig: { TimeBasedCanary: { CanaryPercentage: 99 } },
    });
  });

  test('without alarms give each function the new version at once, also in development', () => {
    for (const choice of ['a fix in development', 'a fix in an app without feature flags'] as const) {
      const fix = synthesize(choice);
      fix.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
        AlarmConfiguration: Match.objectLike({ Enabled: false }),
        DeploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
      });
      fix.resourceCountIs('AWS::Lambda::Alias', aliases.length);
    }
  });
});
