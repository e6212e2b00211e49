import { Match, type Template } from 'aws-cdk-lib/assertions';
import { STAGES } from '../../lib/stage.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';
import { grantsOf, nameOf, synthesize } from './synthesized.ts';

const prod = await synthesize();
const dev = await synthesize('development');
const full = await synthesize('production with every option');

/** Returns the resources of a type by the id of their construct. */
const ofType = (template: Template, type: string) =>
  Object.fromEntries(Object.entries(template.findResources(type)).map(([id, resource]) => [nameOf(id), resource]));

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

test('keys, users, buckets and logs are kept when the production stack is deleted, but not in development', () => {
  const fates = (template: Template) =>
    ['AWS::SecretsManager::Secret', 'AWS::Cognito::UserPool', 'AWS::S3::Bucket', 'AWS::Logs::LogGroup'].map((type) =>
      Object.entries(ofType(template, type))
        // A new origin secret can replace the old one.
        .filter(([name]) => name !== 'KeysOrigin')
        .map(([, { DeletionPolicy }]) => DeletionPolicy),
    );
  for (const fate of fates(prod).flat()) expect(fate).toBe('Retain');
  for (const fate of fates(dev).flat()) expect(fate).toBe('Delete');
  expect(Object.keys(ofType(dev, 'Custom::S3AutoDeleteObjects'))).toHaveLength(2);
  prod.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
});

test('logs and the delivery log are kept for a week in development', () => {
  dev.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 });
  dev.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ DELIVERY_LOG_RETENTION_DAYS: '7' }) },
  });
});

describe('with every option', () => {
  const plain = (type: string) => Object.values(full.findResources(type));

  test('the distribution has the domain name, its certificate, at least TLS 1.2, and the web ACL', () => {
    full.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: [ALL_OPTIONS.domain.name],
        ViewerCertificate: {
          AcmCertificateArn: ALL_OPTIONS.domain.certificateArn,
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
    const strict = Object.entries(full.findResources('AWS::Lambda::Function'))
      .filter(([, { Properties }]) => Properties.Environment?.Variables?.DISTRIBUTION_ONLY === 'true')
      .map(([id]) => nameOf(id));
    expect(strict.sort()).toEqual([
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
    const reserved = Object.entries(full.findResources('AWS::Lambda::Function'))
      .filter(([, { Properties }]) => Properties.ReservedConcurrentExecutions === ALL_OPTIONS.requestConcurrency)
      .map(([id]) => nameOf(id));
    expect(reserved.sort()).toEqual([
      'AssistantRuntimeAiActionFunction',
      'DashboardActionTestFunction',
      'WidgetRoutesFormSubmitFunction',
    ]);
    expect(JSON.stringify(prod.toJSON())).not.toContain('ReservedConcurrentExecutions');
  });

  test('the distribution sends the chosen version of the origin secret', () => {
    const distributions = JSON.stringify(plain('AWS::CloudFront::Distribution'));
    expect(distributions).toContain(`:SecretString:::${ALL_OPTIONS.originSecretVersion}}}`);
  });

  test('every alarm notifies the topic when it is raised and when it ends', () => {
    expect(plain('AWS::CloudWatch::Alarm').length).toBeGreaterThan(5);
    full.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: [ALL_OPTIONS.alarmTopicArn],
      OKActions: [ALL_OPTIONS.alarmTopicArn],
    });
  });

  test('only the sealing key has a replica in the second region', () => {
    const replicated = Object.entries(ofType(full, 'AWS::SecretsManager::Secret')).filter(
      ([, { Properties }]) => Properties.ReplicaRegions !== undefined,
    );
    expect(replicated).toEqual([['KeysSealing', expect.objectContaining({ DeletionPolicy: 'Retain' })]]);
    expect(replicated[0]?.[1].Properties.ReplicaRegions).toEqual([{ Region: 'eu-central-1' }]);
  });

  test('only the outbound functions run in the network with the fixed addresses', () => {
    const inside = Object.entries(ofType(full, 'AWS::Lambda::Function')).filter(
      ([, { Properties }]) => Properties.VpcConfig !== undefined,
    );
    expect(inside.map(([name]) => name).sort()).toEqual([
      'AssistantRuntimeAiActionFunction',
      'AssistantRuntimeUsageReportFunction',
      'DashboardActionTestFunction',
      'DeliveriesDispatcherFunction',
      'WidgetRoutesFormSubmitFunction',
    ]);
    full.resourceCountIs('AWS::EC2::NatGateway', 2);
    full.resourceCountIs('AWS::EC2::EIP', 2);
    full.allResources('AWS::EC2::EIP', { DeletionPolicy: 'Retain' });
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

test('without options the stack has no network, web ACL, replica or domain name', () => {
  for (const type of ['AWS::EC2::VPC', 'AWS::EC2::NatGateway', 'AWS::EC2::EIP']) prod.resourceCountIs(type, 0);
  prod.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: { Aliases: Match.absent(), WebACLId: Match.absent(), ViewerCertificate: Match.absent() },
  });
  prod.allResourcesProperties('AWS::SecretsManager::Secret', { ReplicaRegions: Match.absent() });
});
