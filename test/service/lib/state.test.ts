import { synthesize } from './synthesized.ts';

/**
 * The logical ids of resources that hold state or an address which customers use. When an id changes, CloudFormation creates a new
 * resource, and keeps or deletes the old one with all its data.
 */
const STATE: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGatewayV2::Api': ['ApiHttp17514DA7'],
  'AWS::CloudFront::Distribution': ['EdgeDistribution0060737B'],
  'AWS::Cognito::UserPool': ['LoginPool53960D84'],
  'AWS::Cognito::UserPoolClient': ['LoginClientC04CF64D'],
  'AWS::Cognito::UserPoolDomain': ['LoginDomainC59F1893'],
  'AWS::DynamoDB::Table': [
    'TablesConfigurationTable511EE7EB',
    'TablesConversationsTable6321493B',
    'TablesCountersTable54C35657',
    'TablesDeliveryLogTableE0293EFB',
  ],
  'AWS::EC2::EIP': ['EgressAddress1E8D95509', 'EgressAddress2CDA037AB'],
  'AWS::Events::EventBus': ['MessagingBus52612CDD'],
  'AWS::S3::Bucket': ['EdgeAccessLogsC159D9EF', 'EdgeAssetsCDE1815C'],
  'AWS::SQS::Queue': [
    'MessagingDeliveriesDeadLettersD2740466',
    'MessagingDeliveriesQueue7A34C24B',
    'MessagingEventsDeadLettersCFD11FB3',
    'MessagingEventsQueue9D0082E5',
  ],
  'AWS::SecretsManager::Secret': [
    'CanaryServerKey2497FBC6',
    'KeysOriginC1AB9E50',
    'KeysSealingEEF27743',
    'KeysTokenFA6B06E5',
  ],
};

/**
 * Types that a deployment may replace, by service; without types, all of a service. They hold only what is in the template, or a log that
 * stays readable in the old resource.
 */
const STATELESS: Readonly<Record<string, readonly string[] | undefined>> = {
  'AWS::ApiGatewayV2': ['Authorizer', 'Integration', 'Route', 'Stage'],
  'AWS::CloudFront': ['Function', 'OriginAccessControl', 'OriginRequestPolicy', 'ResponseHeadersPolicy'],
  'AWS::CloudWatch': undefined,
  'AWS::CodeDeploy': undefined,
  'AWS::Cognito': ['ManagedLoginBranding', 'UserPoolResourceServer'],
  'AWS::EC2': [
    ...['FlowLog', 'InternetGateway', 'NatGateway', 'Route', 'RouteTable', 'SecurityGroup', 'Subnet'],
    ...['SubnetRouteTableAssociation', 'VPC', 'VPCEndpoint', 'VPCGatewayAttachment'],
  ],
  'AWS::Events': ['Archive', 'EventBusPolicy', 'Rule'],
  'AWS::IAM': undefined,
  'AWS::Lambda': undefined,
  'AWS::Logs': ['LogGroup', 'QueryDefinition'],
  'AWS::S3': ['BucketPolicy'],
  'AWS::SQS': ['QueuePolicy'],
  Custom: undefined,
};
const isStateless = (type: string) => {
  const [, service = '', name = ''] = /^(.*)::(\w+)$/.exec(type) ?? [];
  return service in STATELESS && (STATELESS[service]?.includes(name) ?? true);
};

const resources = (template: Awaited<ReturnType<typeof synthesize>>) =>
  Object.entries<{ Type: string }>(template.toJSON().Resources).map(([id, { Type }]) => ({ id, type: Type }));
const everything = [
  ...resources(await synthesize('production with every option')),
  ...resources(await synthesize('development')),
  ...resources(await synthesize('every option in a network that exists')),
];

test.each(Object.entries(STATE))('resources of type %s keep their logical ids', (type, ids) => {
  const found = new Set(everything.filter((resource) => resource.type === type).map(({ id }) => id));
  expect([...found].sort()).toEqual(ids);
});

test('every other resource type of the templates is listed as stateless', () => {
  const unlisted = everything.filter(({ type }) => !(type in STATE) && !isStateless(type));
  expect(unlisted).toEqual([]);
});
