import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Archive, EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { allowServices } from '../../../lib/own-key.ts';
import { matchesWildcard } from '../../../local/cloud/access/policies.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';
import { synthesize } from './synthesized.ts';

/** Returns the actions that the policy of the only key allows EventBridge. */
function actionsOfEvents(build: (stack: Stack, key: Key) => void): string[] {
  const stack = new Stack(new App(), 'Stack');
  build(stack, new Key(stack, 'Key'));
  const [key] = Object.values(Template.fromStack(stack).findResources('AWS::KMS::Key'));
  const statements: { Action: string | string[]; Principal: { Service?: string } }[] =
    key?.Properties.KeyPolicy.Statement;
  return statements.flatMap(({ Action, Principal }) =>
    Principal.Service === 'events.amazonaws.com' ? [Action].flat() : [],
  );
}

const ours = actionsOfEvents((_, key) => allowServices(key, { hasAlarmTopic: false }));

test.each<[string, (stack: Stack, key: Key) => void]>([
  [
    'an archive',
    (stack, kmsKey) => {
      new Archive(stack, 'Archive', {
        sourceEventBus: new EventBus(stack, 'Bus'),
        kmsKey,
        eventPattern: { source: ['a'] },
      });
    },
  ],
  [
    'a queue',
    (stack, encryptionMasterKey) => {
      const queue = new Queue(stack, 'Queue', { encryptionMasterKey });
      new Rule(stack, 'Rule', { eventPattern: { source: ['a'] }, targets: [new SqsQueue(queue)] });
    },
  ],
])("the key's policy allows EventBridge what the CDK allows it for %s", (_, build) => {
  const theirs = actionsOfEvents(build);
  expect(theirs.length).toBeGreaterThan(0);
  const isAllowed = (action: string) => ours.some((pattern) => matchesWildcard(pattern, action));
  expect(theirs.filter((action) => !isAllowed(action))).toEqual([]);
});

test.each([
  [true, ['kms:Decrypt', 'kms:GenerateDataKey*']],
  [false, undefined],
])("the key's policy allows the alarms, with a topic: %p, only what notifies it", (hasAlarmTopic, Action) => {
  const stack = new Stack(new App(), 'Stack');
  allowServices(new Key(stack, 'Key'), { hasAlarmTopic });
  const [key] = Object.values(Template.fromStack(stack).findResources('AWS::KMS::Key'));
  const statements: { Principal: { Service?: unknown } }[] = key?.Properties.KeyPolicy.Statement;
  expect(statements.filter(({ Principal }) => Principal.Service === 'cloudwatch.amazonaws.com')).toEqual(
    Action === undefined
      ? []
      : [
          {
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action,
            Resource: '*',
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
  );
});

/** Types of resources without the key, each with the reason. A type that is neither here nor encrypted fails the test. */
const WITHOUT_KEY: readonly (readonly [reason: string, types: string])[] = [
  ['its files are public, or access logs without content, under keys of S3', 'S3::Bucket'],
  [
    'its environment has names of resources, and no secret',
    'Lambda::Function Lambda::Version Lambda::Alias Lambda::LayerVersion',
  ],
  ['passes events on; EventBridge holds what a queue refuses for a day, under a key of its own', 'Events::EventBus'],
  ['CloudFormation has no property for a key; has addresses and logins of admins', 'Cognito::UserPool'],
  [
    'settings of the login',
    'Cognito::UserPoolClient Cognito::UserPoolDomain Cognito::UserPoolResourceServer Cognito::ManagedLoginBranding',
  ],
  [
    'a rule, a pattern or a policy',
    'Events::Rule Events::EventBusPolicy SQS::QueuePolicy S3::BucketPolicy IAM::Role IAM::Policy Lambda::Permission',
  ],
  ['names of metrics, queries and thresholds', 'CloudWatch::Alarm CloudWatch::Dashboard Logs::QueryDefinition'],
  [
    'routes of requests, which nothing stores',
    'ApiGatewayV2::Api ApiGatewayV2::Authorizer ApiGatewayV2::Integration ApiGatewayV2::Route ApiGatewayV2::Stage Lambda::EventSourceMapping',
  ],
  [
    'settings of the edge',
    'CloudFront::Distribution CloudFront::Function CloudFront::OriginAccessControl CloudFront::OriginRequestPolicy CloudFront::ResponseHeadersPolicy',
  ],
  [
    'a network, whose log has the key',
    'EC2::EIP EC2::FlowLog EC2::InternetGateway EC2::NatGateway EC2::Route EC2::RouteTable EC2::SecurityGroup EC2::Subnet EC2::SubnetRouteTableAssociation EC2::VPC EC2::VPCEndpoint EC2::VPCGatewayAttachment',
  ],
  ['states of a deployment', 'CodeDeploy::Application CodeDeploy::DeploymentConfig CodeDeploy::DeploymentGroup'],
];

test('encryptionKey encrypts every resource that holds data', () => {
  const { Resources } = synthesize('production with every option').toJSON();
  const excused = new Set(WITHOUT_KEY.flatMap(([, types]) => types.split(' ').map((type) => `AWS::${type}`)));
  const resources: [string, { Type: string; Properties?: object }][] = Object.entries(Resources);
  const isEncrypted = (properties: object = {}) => JSON.stringify(properties).includes(ALL_OPTIONS.encryptionKey);
  const ofData = resources.filter(([, { Type }]) => Type.startsWith('AWS::') && !excused.has(Type));
  expect(ofData.filter(([, { Properties }]) => !isEncrypted(Properties))).toEqual([]);
  expect([...new Set(ofData.map(([, { Type }]) => Type))].sort()).toEqual(
    ['DynamoDB::Table', 'Events::Archive', 'Logs::LogGroup', 'SQS::Queue', 'SecretsManager::Secret'].map(
      (type) => `AWS::${type}`,
    ),
  );
  // A reason for what is not there, or has the key, says nothing.
  const types = new Set(resources.map(([, { Type }]) => Type));
  expect([...excused].filter((type) => !types.has(type))).toEqual([]);
});
