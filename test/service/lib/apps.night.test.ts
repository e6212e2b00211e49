import { App, CfnResource, NestedStack, RemovalPolicies, Stack, Tags } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountRootPrincipal, ManagedPolicy, PermissionsBoundary, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { VaWave, type VaWaveProps } from '../../../lib/va-wave.ts';

/** Arrangements of an app, each with what an operator would miss in its template. */

const env = { account: '1'.repeat(12), region: 'eu-west-1' };
const stackIn = (app: App, id: string, more: object = {}) => new Stack(app, id, { env, ...more });
type Resource = { readonly Type: string; readonly Properties?: object; readonly DeletionPolicy?: string };
const resourcesOf = (stack: Stack): (readonly [id: string, Resource])[] =>
  Object.entries<Resource>(Template.fromStack(stack).toJSON().Resources);

test('what exists may all be in another stack, and its role is granted by its ARN', () => {
  const app = new App();
  const [platform, stack] = [stackIn(app, 'Platform'), stackIn(app, 'Chat')];
  const vpc = new Vpc(platform, 'Vpc');
  const chat = new VaWave(stack, 'VaWave', {
    bus: new EventBus(platform, 'Bus'),
    userPool: new UserPool(platform, 'Pool'),
    encryptionKey: new Key(platform, 'Key'),
    alarmTopic: new Topic(platform, 'Alarms'),
    vpc,
    securityGroups: [new SecurityGroup(platform, 'Group', { vpc })],
    eventArchive: true,
    canary: true,
  });
  // A grant to the role itself would make the platform's stack depend on the one that depends on it.
  const made = new Role(platform, 'Runtime', { assumedBy: new AccountRootPrincipal() });
  const runtime = Role.fromRoleArn(stack, 'Runtime', made.roleArn);
  const grants = [chat.grantPutEvents(runtime), chat.grantCallTools(runtime), chat.grantReportUsage(runtime)];
  expect(grants.map(({ success }) => success)).toEqual([true, true, true]);
  app.synth();
});

test('constructs may be nested as deep as the logical ids of the CDK allow', () => {
  const stack = stackIn(new App(), 'Chat');
  const ids = ['CustomerCommunicationPlatform', 'ConversationalExperience', 'ProductionEnvironment', 'EuropeanUnion'];
  const scope = ids.reduce<Construct>((outer, id) => new Construct(outer, id), stack);
  new VaWave(scope, 'ChatAssistantWidgetService', { edgeAccessLog: true, canary: true, eventArchive: true });
  const layers = resourcesOf(stack).filter(([, { Type }]) => Type === 'AWS::Lambda::LayerVersion');
  expect(layers.length).toBeGreaterThan(3);
  // Lambda gives a layer without a name its logical id, and its ARN may have 140 characters.
  for (const [, { Properties }] of layers)
    expect(Properties).toMatchObject({ LayerName: expect.stringMatching(/^\w{1,64}$/) });
});

test('a nested stack has the service, with a bus of its parent', () => {
  const app = new App();
  const stack = stackIn(app, 'Chat');
  const chat = new VaWave(new NestedStack(stack, 'Nested'), 'VaWave', { bus: new EventBus(stack, 'Bus') });
  const runtime = new Role(stack, 'Runtime', { assumedBy: new AccountRootPrincipal() });
  expect(chat.grantCallTools(runtime).success).toBe(true);
  app.synth();
});

test('a permissions boundary, tags and removal policies of the app reach every resource that can have them', () => {
  const stack = stackIn(new App(), 'Chat');
  const props: VaWaveProps = { edgeAccessLog: true, gradual: true, canary: true, fixedEgress: true };
  const chat = new VaWave(stack, 'VaWave', props);
  PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'Boundary'));
  Tags.of(stack).add('Owner', 'chat');
  RemovalPolicies.of(chat).destroy();
  const resources = resourcesOf(stack);
  const parts = new Map(
    stack.node
      .findAll()
      .flatMap((part) => (CfnResource.isCfnResource(part) ? [[stack.resolve(part.logicalId), part]] : [])),
  );
  for (const [id, { Type, Properties, DeletionPolicy }] of resources) {
    if (Type === 'AWS::IAM::Role')
      expect([id, Properties]).toEqual([id, expect.objectContaining({ PermissionsBoundary: expect.anything() })]);
    const part = parts.get(id);
    if (part !== undefined && ('tags' in part || 'cdkTagManager' in part))
      expect([id, JSON.stringify(Properties)]).toEqual([id, expect.stringContaining('Owner')]);
    if (part?.node.path.startsWith(chat.node.path)) expect([id, DeletionPolicy]).toEqual([id, 'Delete']);
  }
});

test('a certificate of another region than CloudFront takes is refused, and one of a stack in us-east-1 works', () => {
  const app = new App();
  const elsewhere = { env: { ...env, region: 'us-east-1' }, crossRegionReferences: true };
  const stack = stackIn(app, 'Chat', { crossRegionReferences: true });
  const domainName = 'chat.example.com';
  const here = new Certificate(stack, 'Here', { domainName });
  expect(() => new VaWave(stack, 'Refused', { domainName, certificate: here })).toThrow(
    'certificate: must be in us-east-1 for CloudFront, and is in eu-west-1',
  );
  const otherApp = new App();
  const other = stackIn(otherApp, 'Chat', { crossRegionReferences: true });
  const certificate = new Certificate(stackIn(otherApp, 'Certificates', elsewhere), 'There', { domainName });
  new VaWave(other, 'VaWave', { domainName, certificate });
  Template.fromStack(other).resourceCountIs('AWS::CloudFront::Distribution', 1);
});

/** What needs its name only within another resource, names another one, or may have the name of another. */
const NAMED_WITHIN =
  /^AWS::(?:ApiGatewayV2::.*|CloudWatch::Alarm|CodeDeploy::DeploymentGroup|IAM::Policy|Lambda::Alias) (?:Name|StageName|MetricName|DeploymentConfigName|PolicyName)$/;

test('services of stacks with the same ids and other names have no name in common, also in a pool that both use', () => {
  const stack = stackIn(new App(), 'Chat', { stackName: 'Renamed' });
  const everything = { edgeAccessLog: true, gradual: true, canary: true, eventArchive: true };
  new VaWave(stack, 'VaWave', { ...everything, userPool: UserPool.fromUserPoolId(stack, 'Pool', 'eu-west-1_pool') });
  const names = resourcesOf(stack).flatMap(([, { Type, Properties = {} }]) => {
    const nested = Object.entries(Properties).flatMap(([name, inner]) =>
      /Config$/.test(name) ? Object.entries(inner) : [],
    );
    return [...nested, ...Object.entries(Properties)]
      .filter(([name]) => /(?:^|[a-z])Name$|^Identifier$/.test(name) && !NAMED_WITHIN.test(`${Type} ${name}`))
      .map(([name, value]) => `${Type} ${name}: ${JSON.stringify(value)}`)
      .filter((text) => !/: {"(?:Ref|Fn::GetAtt)"|EventSourceMapping/.test(text));
  });
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !name.includes('Renamed'))).toEqual([]);
});
