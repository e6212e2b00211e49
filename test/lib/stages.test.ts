import { Match, type Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { STAGES } from '../../lib/stage.ts';
import { ALL_OPTIONS, NAGGED } from './deployment-choices.ts';
import { bringsAlong, findings, grantsOf, nameOf, synthesize } from './synthesized.ts';

const prod = await synthesize();
const dev = await synthesize('development');
const full = await synthesize('production with every option');

/** Returns the resources of a type by the id of their construct. */
const ofType = (template: Template, type: string) =>
  Object.fromEntries(Object.entries(template.findResources(type)).map(([id, resource]) => [nameOf(id), resource]));

/** Returns the ids of the functions with these properties. */
const functionsWith = (template: Template, properties: object) =>
  Object.entries(ofType(template, 'AWS::Lambda::Function'))
    .filter(([, { Properties }]) => expect.objectContaining(properties).asymmetricMatch(Properties))
    .map(([name]) => name)
    .sort();
const withVariable = (name: string, value: string) => ({
  Environment: { Variables: expect.objectContaining({ [name]: value }) },
});

/** Returns the parts of a template that are the same in every stage. */
function sameInEveryStage(template: Template) {
  const text = JSON.stringify(template.toJSON(), (name, value: unknown) => {
    const perStage = ['DeletionPolicy', 'UpdateReplacePolicy', 'DeletionProtectionEnabled', 'DeletionProtection'];
    if (perStage.includes(name) || name === 'RetentionInDays' || name === 'DELIVERY_LOG_RETENTION_DAYS')
      return undefined;
    return value;
  });
  const resources: Record<string, { Type: string; Properties?: { Tags?: unknown; PolicyDocument?: object } }> =
    JSON.parse(text).Resources;
  // These empty the buckets when a development stack is deleted.
  const emptying = ['Custom::S3AutoDeleteObjects', 'AWS::S3::BucketPolicy'];
  return Object.fromEntries(
    Object.entries(resources)
      .filter(([id, { Type }]) => !emptying.includes(Type) && !id.startsWith('CustomS3AutoDeleteObjects'))
      .map(([id, { Type, Properties }]) => [
        id,
        Type === 'AWS::S3::Bucket' ? { Type, Properties: { ...Properties, Tags: undefined } } : { Type, Properties },
      ]),
  );
}

test.each(NAGGED)('cdk-nag (AwsSolutions) finds only what is acknowledged with a reason in: %s', async (choice) => {
  expect(await findings(choice)).toBeNull();
});

test('each stage is a separate stack', () => {
  expect(new Set(Object.values(STAGES).map(({ stackName }) => stackName)).size).toBe(Object.keys(STAGES).length);
});

test('stages differ only in deletion policies and retention', () => {
  expect(sameInEveryStage(dev)).toEqual(sameInEveryStage(prod));
});

test.each(['TablesConfigurationTable', 'TablesConversationsTable', 'TablesDeliveryLogTable'])(
  '%s cannot be deleted in production, and is deleted with the stack in development',
  (name) => {
    expect(ofType(prod, 'AWS::DynamoDB::Table')[name]).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
    expect(ofType(dev, 'AWS::DynamoDB::Table')[name]).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  },
);

test.each([
  ['AWS::SecretsManager::Secret', 'RetainExceptOnCreate'],
  ['AWS::Logs::LogGroup', 'RetainExceptOnCreate'],
  // Their deletion would fail: the users are protected, and a bucket may have files.
  ['AWS::Cognito::UserPool', 'Retain'],
  ['AWS::S3::Bucket', 'Retain'],
])('when the stack is deleted, each %s has the fate %s in production, and is deleted in development', (type, kept) => {
  const fates = (template: Template) =>
    Object.entries(ofType(template, type))
      // A new origin secret can replace the old one.
      .filter(([name]) => name !== 'KeysOrigin')
      .map(([, { DeletionPolicy, UpdateReplacePolicy }]) => [DeletionPolicy, UpdateReplacePolicy]);
  expect(fates(prod).length).toBeGreaterThan(0);
  for (const fate of fates(prod)) expect(fate).toEqual([kept, 'Retain']);
  for (const fate of fates(dev)) expect(fate).toEqual(['Delete', 'Delete']);
});

test('the bucket of a development stack is emptied when it is deleted', () => {
  expect(Object.keys(ofType(dev, 'Custom::S3AutoDeleteObjects'))).toHaveLength(1);
  prod.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
});

test('logs and the delivery log are kept for a week in development, and the delivery log as long as an option says', () => {
  dev.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  for (const [template, days] of [
    [dev, '7'],
    [full, '90'],
  ] as const) {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ DELIVERY_LOG_RETENTION_DAYS: days }) },
    });
  }
});

/** The functions that make outbound requests. */
const OUTBOUND = [
  'AssistantRuntimeAiActionFunction',
  'AssistantRuntimeUsageReportFunction',
  'DashboardActionTestFunction',
  'DeliveriesDispatcherFunction',
  'WidgetRoutesFormSubmitFunction',
];

describe('with every option', () => {
  const plain = (type: string) => Object.values(full.findResources(type));

  test('the distribution has the domain name, its certificate, at least TLS 1.2, and the web ACL', () => {
    full.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: [ALL_OPTIONS.domainName],
        ViewerCertificate: {
          AcmCertificateArn: ALL_OPTIONS.certificate,
          MinimumProtocolVersion: 'TLSv1.2_2021',
          SslSupportMethod: 'sni-only',
        },
        WebACLId: ALL_OPTIONS.webAclArn,
      },
    });
    full.hasOutput('BaseUrl', { Value: 'https://chat.example.com' });
    full.hasOutput('DashboardUrl', { Value: 'https://chat.example.com/dashboard/' });
    full.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: ['https://chat.example.com/dashboard/callback'],
    });
  });

  test('only the widget’s functions refuse requests that did not pass through the distribution', () => {
    expect(functionsWith(full, withVariable('DISTRIBUTION_ONLY', 'true'))).toEqual([
      'WidgetRoutesFormSubmitFunction',
      'WidgetRoutesPreflightFunction',
      'WidgetRoutesWidgetInitFunction',
    ]);
    expect(grantsOf(full, 'WidgetRoutesPreflightRole')).toContainEqual(
      expect.stringContaining('GetSecretValue KeysOrigin'),
    );
    expect(JSON.stringify(prod.toJSON())).not.toContain('"DISTRIBUTION_ONLY":"true"');
  });

  test('only the functions whose caller waits for an endpoint have reserved concurrency', () => {
    expect(functionsWith(full, { ReservedConcurrentExecutions: expect.any(Number) })).toEqual([
      'AssistantRuntimeAiActionFunction',
      'AssistantRuntimeUsageReportFunction',
      'DashboardActionTestFunction',
      'WidgetRoutesFormSubmitFunction',
    ]);
    expect(JSON.stringify(prod.toJSON())).not.toContain('ReservedConcurrentExecutions');
  });

  test('the distribution sends the chosen version of the origin secret', () => {
    const distributions = JSON.stringify(plain('AWS::CloudFront::Distribution'));
    expect(distributions).toContain(`:SecretString:::${ALL_OPTIONS.originSecretVersion}}}`);
    // Without it, the command line cannot know whether a rotation is finished.
    full.hasOutput('OriginSecretVersion', { Value: ALL_OPTIONS.originSecretVersion });
  });

  test('every alarm notifies the topic of its severity when it is raised and when it ends', () => {
    expect(plain('AWS::CloudWatch::Alarm').length).toBeGreaterThan(5);
    for (const { Properties } of Object.values(full.findResources('AWS::CloudWatch::Alarm'))) {
      const topic = Properties.AlarmDescription['Fn::Sub'].startsWith('page: ') ? 'alarmTopic' : 'ticketTopic';
      expect([Properties.AlarmActions, Properties.OKActions]).toEqual([[ALL_OPTIONS[topic]], [ALL_OPTIONS[topic]]]);
    }
  });

  test('only the sealing key has a replica in the second region', () => {
    const replicated = Object.entries(ofType(full, 'AWS::SecretsManager::Secret')).filter(
      ([, { Properties }]) => Properties.ReplicaRegions !== undefined,
    );
    expect(replicated).toEqual([['KeysSealing', expect.objectContaining({ DeletionPolicy: 'RetainExceptOnCreate' })]]);
    expect(replicated[0]?.[1].Properties.ReplicaRegions).toEqual([{ Region: 'eu-central-1' }]);
  });

  test('only the outbound functions run in the network with the fixed addresses', () => {
    expect(functionsWith(full, { VpcConfig: expect.anything() })).toEqual(OUTBOUND);
    full.resourceCountIs('AWS::EC2::NatGateway', 2);
    full.resourceCountIs('AWS::EC2::EIP', 2);
    full.allResources('AWS::EC2::EIP', { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    full.hasOutput('EgressAddresses', {});
    // No inbound connection is allowed.
    full.hasResourceProperties('AWS::EC2::SecurityGroup', { SecurityGroupIngress: Match.absent() });
    full.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });

  test("a function's code cannot use the permissions that Lambda needs to attach it to the network", () => {
    for (const [name, policy] of Object.entries(ofType(full, 'AWS::IAM::Policy'))) {
      const text = JSON.stringify(policy.Properties.PolicyDocument);
      if (!text.includes('ec2:CreateNetworkInterface')) continue;
      expect([name, text.includes('"Effect":"Deny"'), text.includes('lambda:SourceFunctionArn')]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });
});

describe('in a network that exists', () => {
  test('the outbound functions run with its ids, and the stack creates no network', async () => {
    const own = await synthesize('every option in a network that exists');
    const network = {
      SubnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
      SecurityGroupIds: ['sg-0123456789abcdef0'],
    };
    expect(functionsWith(own, { VpcConfig: network })).toEqual(OUTBOUND);
    expect(functionsWith(own, { VpcConfig: expect.anything() })).toEqual(OUTBOUND);
    for (const type of ['AWS::EC2::VPC', 'AWS::EC2::NatGateway', 'AWS::EC2::EIP']) own.resourceCountIs(type, 0);
    expect(JSON.stringify(own.findOutputs('EgressAddresses'))).toBe('{}');
  });
});

test('the login can require an authenticator app, and keeps the identity providers that the operator added', () => {
  full.hasResourceProperties('AWS::Cognito::UserPool', { MfaConfiguration: 'ON' });
  full.hasResourceProperties('AWS::Cognito::UserPoolClient', { SupportedIdentityProviders: ['COGNITO', 'Okta'] });
  prod.hasResourceProperties('AWS::Cognito::UserPool', { MfaConfiguration: 'OPTIONAL' });
});

describe('a platform in other accounts', () => {
  test('may put events on the bus, but not in the name of the service, and nothing else', () => {
    const policies = Object.values(full.findResources('AWS::Events::EventBusPolicy'));
    const statements = policies.map(({ Properties }) => Properties.Statement);
    expect(statements).toHaveLength(ALL_OPTIONS.platformAccounts.length);
    ALL_OPTIONS.platformAccounts.forEach((account, index) => {
      expect(statements[index]).toMatchObject({
        Effect: 'Allow',
        Action: 'events:PutEvents',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingBus/), 'Arn'] },
        Condition: { StringNotEquals: { 'events:source': 'va-wave' } },
      });
      expect(JSON.stringify(statements[index].Principal)).toContain(account);
    });
    prod.resourceCountIs('AWS::Events::EventBusPolicy', 0);
  });

  test('may invoke the functions of the assistant runtime only', () => {
    const allowed = Object.values(full.findResources('AWS::Lambda::Permission')).flatMap(({ Properties }) =>
      String(Properties.Principal).endsWith('.amazonaws.com')
        ? []
        : [`${Properties.Principal} ${nameOf(String(Properties.FunctionName.Ref))}`],
    );
    expect(allowed.sort()).toEqual(
      ALL_OPTIONS.platformAccounts
        .flatMap((principal) => [
          `${principal} AssistantRuntimeAiActionLive`,
          `${principal} AssistantRuntimeUsageReportLive`,
        ])
        .sort(),
    );
  });
});

describe('a key of the operator', () => {
  const KEY = ALL_OPTIONS.encryptionKey;

  test.each([
    ['AWS::DynamoDB::Table', { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: KEY } }],
    ['AWS::SQS::Queue', { KmsMasterKeyId: KEY, SqsManagedSseEnabled: false }],
    ['AWS::Logs::LogGroup', { KmsKeyId: KEY }],
    ['AWS::SecretsManager::Secret', { KmsKeyId: KEY }],
  ])('encrypts each %s', (type, properties) => {
    full.allResourcesProperties(type, properties);
    expect(JSON.stringify(prod.findResources(type))).not.toContain('kms');
  });

  test('is usable by each function through the services that it calls, and not directly', () => {
    const uses = Object.entries(ofType(full, 'AWS::IAM::Policy')).flatMap(([name, { Properties }]) => {
      const statements: { Action: unknown; Resource: unknown; Condition?: Record<string, Record<string, unknown>> }[] =
        Properties.PolicyDocument.Statement;
      return statements
        .filter(({ Action }) => JSON.stringify(Action).includes('kms:'))
        .map(({ Resource, Condition }) => {
          expect(Resource).toBe(KEY);
          const services = JSON.stringify(Condition?.StringEquals?.['kms:ViaService']).match(/\w+(?=\.")/g);
          return [name.replace('RoleDefaultPolicy', ''), services];
        });
    });
    expect(Object.fromEntries(uses)).toMatchObject({
      DeliveriesDispatcher: ['dynamodb', 'secretsmanager', 'sqs'],
      DeliveriesEventRouter: ['dynamodb', 'sqs'],
      KeysKeyRotation: ['secretsmanager'],
      WidgetRoutesFormSubmit: ['dynamodb', 'secretsmanager', 'sns'],
    });
    expect(uses.map(([name]) => name)).not.toContain('ApiNotFound');
  });
});

test('tracing covers every function, and is off without the option', () => {
  const modes = Object.entries(ofType(full, 'AWS::Lambda::Function'))
    .filter(([name]) => !bringsAlong(name))
    .map(([, { Properties }]) => [Properties.TracingConfig, Properties.Environment.Variables.TRACING]);
  expect(modes).toHaveLength(13);
  for (const mode of modes) expect(mode).toEqual([{ Mode: 'Active' }, 'true']);
  expect(JSON.stringify(prod.toJSON())).not.toMatch(/xray|TracingConfig/);
});

describe('gradual releases', () => {
  const aliases = Object.keys(ofType(full, 'AWS::Lambda::Alias'));

  test('cover every function that is invoked by requests or messages', () => {
    const functions = Object.keys(ofType(full, 'AWS::Lambda::Function')).flatMap(
      (name) => /^(.*)Function$/.exec(name)?.[1] ?? [],
    );
    const scheduled = ['CanaryCanary', 'KeysKeyRotation'];
    const covered = functions.filter((name) => aliases.includes(`${name}Live`));
    expect(covered.sort()).toEqual(
      Object.keys(ofType(prod, 'AWS::Lambda::Function'))
        .flatMap((name) => (/^(?!Custom|AWS).*(?=Function$)/.exec(name) ?? []).slice(0, 1))
        .filter((name) => !scheduled.includes(name))
        .sort(),
    );
  });

  test('roll every function back on each alarm of the release, and on none for a fix, also in development', async () => {
    const groups = Object.values(full.findResources('AWS::CodeDeploy::DeploymentGroup'));
    expect(groups).toHaveLength(aliases.length);
    for (const { Properties } of groups) {
      const names = z
        .array(z.object({ Name: z.object({ Ref: z.string() }) }))
        .parse(Properties.AlarmConfiguration.Alarms);
      expect(names.map(({ Name }) => nameOf(Name.Ref)).sort()).toEqual([
        'ApiErrors',
        'ApiServerErrors',
        'AssistantRuntimeErrors',
        'CanaryFailed',
        'DashboardErrors',
        'DeliveriesErrors',
        'DeliveriesFailedMessages',
        'WidgetRoutesErrors',
        'WidgetRoutesSlow',
      ]);
      expect(Properties.AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
    }
    const fix = await synthesize('a fix in development');
    fix.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      AlarmConfiguration: { Enabled: false },
      DeploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
    });
    fix.resourceCountIs('AWS::Lambda::Alias', aliases.length);
  });

  test('shift router and dispatcher almost at once, because older code refuses newer messages', () => {
    const atOnce = Object.entries(ofType(full, 'AWS::CodeDeploy::DeploymentGroup'))
      .filter(([, { Properties }]) => typeof Properties.DeploymentConfigName !== 'string')
      .map(([name]) => name);
    expect(atOnce.sort()).toEqual(['Releasesdispatcher', 'Releaseseventrouter']);
    full.hasResourceProperties('AWS::CodeDeploy::DeploymentConfig', {
      TrafficRoutingConfig: { TimeBasedCanary: { CanaryPercentage: 99 } },
    });
  });

  test('are what every caller uses: routes, event sources, grants and outputs', () => {
    const targets = ['AWS::ApiGatewayV2::Integration', 'AWS::Lambda::EventSourceMapping'].flatMap((type) =>
      Object.values(full.findResources(type)).map(({ Properties }) => {
        const target = JSON.stringify(Properties.IntegrationUri ?? Properties.FunctionName);
        return nameOf(/"Ref":"(\w+)"/.exec(target)?.[1] ?? '');
      }),
    );
    expect(targets.length).toBeGreaterThan(7);
    for (const target of targets) expect(aliases).toContain(target);
    expect(JSON.stringify(full.findOutputs('AiActionFunction'))).toContain('AssistantRuntimeAiActionLive');
  });
});

test('without options the stack has no network, web ACL, replica or domain name', () => {
  for (const type of ['AWS::EC2::VPC', 'AWS::EC2::NatGateway', 'AWS::EC2::EIP']) prod.resourceCountIs(type, 0);
  prod.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: { Aliases: Match.absent(), WebACLId: Match.absent(), ViewerCertificate: Match.absent() },
  });
  prod.allResourcesProperties('AWS::SecretsManager::Secret', { ReplicaRegions: Match.absent() });
});
