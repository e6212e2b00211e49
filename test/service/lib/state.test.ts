import { readdirSync, readFileSync } from 'node:fs';
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import * as z from 'zod';
import { nameOf, synthesize } from './synthesized.ts';

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

const resources = (template: ReturnType<typeof synthesize>) =>
  Object.entries<{ Type: string }>(template.toJSON().Resources).map(([id, { Type }]) => ({ id, type: Type }));
const everything = [
  ...resources(synthesize('production with every option')),
  ...resources(synthesize('development')),
  ...resources(synthesize('every option in a network that exists')),
];

test.each(Object.entries(STATE))('resources of type %s keep their logical ids', (type, ids) => {
  const found = new Set(everything.filter((resource) => resource.type === type).map(({ id }) => id));
  expect([...found].sort()).toEqual(ids);
});

test('every other resource type of the templates is listed as stateless', () => {
  const unlisted = everything.filter(({ type }) => !(type in STATE) && !isStateless(type));
  expect(unlisted).toEqual([]);
});

type Fate = {
  readonly deletion?: 'Retain' | 'RetainExceptOnCreate';
  /** What else keeps the resource, in production alone. */
  readonly protection?: Readonly<Record<string, unknown>>;
  /** What the protection of a resource with this name is instead, where the operator has not chosen more. */
  readonly withoutOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Why the stack of production may delete what the type has; for names of resources, only what these have. */
  readonly exceptions?: string | Readonly<Record<string, string>>;
};
const ADDRESS = 'CloudFormation has no protection for it, and a stack that is deleted has no use for the address';
/** What happens in production to each type of resource with state or a log. */
const FATES: Readonly<Record<string, Fate>> = {
  // The deletion of tables, users and buckets of a stack whose creation fails would fail: they are protected, and a bucket may have files.
  'AWS::DynamoDB::Table': {
    deletion: 'Retain',
    protection: {
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
    withoutOptions: {
      TablesDeliveryLogTable: { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } },
    },
  },
  'AWS::Cognito::UserPool': { deletion: 'Retain', protection: { DeletionProtection: 'ACTIVE' } },
  'AWS::S3::Bucket': { deletion: 'Retain' },
  'AWS::SecretsManager::Secret': {
    deletion: 'RetainExceptOnCreate',
    exceptions: {
      KeysOrigin: 'a new stack has a distribution and a secret of its own',
      CanaryServerKey: 'the operator can create another server secret',
    },
  },
  'AWS::Logs::LogGroup': { deletion: 'RetainExceptOnCreate' },
  'AWS::EC2::EIP': { deletion: 'RetainExceptOnCreate' },
  'AWS::SQS::Queue': { exceptions: 'messages in transit, which nothing reads after the deletion of the stack' },
  'AWS::Events::Archive': { exceptions: 'a copy, which only its own bus can replay' },
  'AWS::Events::EventBus': { exceptions: ADDRESS },
  'AWS::ApiGatewayV2::Api': { exceptions: ADDRESS },
  'AWS::CloudFront::Distribution': { exceptions: ADDRESS },
  'AWS::Cognito::UserPoolClient': { exceptions: 'settings of the login' },
  'AWS::Cognito::UserPoolDomain': { exceptions: ADDRESS },
};

test('every type of resource with state has a fate', () => {
  const types = new Set([...Object.keys(STATE), 'AWS::Logs::LogGroup', 'AWS::Events::Archive']);
  expect(Object.keys(FATES).sort()).toEqual([...types].sort());
});

test.each(Object.entries(FATES))(
  'production keeps each %s or says why not, and development keeps none',
  (type, { deletion, protection = {}, withoutOptions = {}, exceptions = {} }) => {
    const resourcesIn = (choice: 'production' | 'production with every option' | 'development') =>
      Object.entries(synthesize(choice).findResources(type));
    const isExcepted = (id: string) => typeof exceptions === 'string' || nameOf(id) in exceptions;
    const withEveryOption = resourcesIn('production with every option');
    expect(withEveryOption.length).toBeGreaterThan(0);
    const ofProduction = [
      ...withEveryOption.map((resource) => [...resource, {}] as const),
      ...resourcesIn('production').map(([id, resource]) => [id, resource, withoutOptions[nameOf(id)]] as const),
    ];
    for (const [
      id,
      { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete', Properties },
      differs,
    ] of ofProduction) {
      const policies = isExcepted(id) ? ['Delete', 'Delete'] : [deletion, 'Retain'];
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, ...policies]);
      expect(Properties).toMatchObject({ ...protection, ...differs });
    }
    const ofDevelopment = resourcesIn('development');
    for (const [id, { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete', Properties }] of ofDevelopment) {
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, 'Delete', 'Delete']);
      expect([id, Properties.DeletionProtectionEnabled ?? false, Properties.DeletionProtection ?? 'INACTIVE']).toEqual([
        ...[id, false, 'INACTIVE'],
      ]);
    }
  },
);

const releases = new URL('../../releases/', import.meta.url);
const anyTemplate = z.object({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.looseObject({}).optional() })),
});
type AnyTemplate = z.infer<typeof anyTemplate>;

/** The template that a release deployed. */
const templateOf = (version: string, name: string): AnyTemplate =>
  anyTemplate.parse(JSON.parse(readFileSync(new URL(`${version}/${name}.template.json`, releases), 'utf8')));

const HARMLESS: ReadonlySet<ResourceImpact> = new Set([
  ...[ResourceImpact.NO_CHANGE, ResourceImpact.WILL_CREATE, ResourceImpact.WILL_UPDATE],
]);

/** Returns each resource with state that an update of a stack replaces, may replace, or removes, by CloudFormation's own rules. */
const lostBetween = (before: AnyTemplate, after: AnyTemplate) =>
  Object.entries(fullDiff(before, after).resources.changes)
    .filter(([, { resourceType, changeImpact }]) => (resourceType ?? '') in STATE && !HARMLESS.has(changeImpact))
    .map(([id, { changeImpact }]) => `${changeImpact} ${id}`);

const versions = readdirSync(releases).filter((name) => /^\d/.test(name));

test.each(
  versions.flatMap((version) => [
    [version, 'plain', 'production'] as const,
    [version, 'all-options', 'production with every option'] as const,
  ]),
)('an update from release %s, %s, loses no resource with state', (version, name, choice) => {
  expect(lostBetween(templateOf(version, name), anyTemplate.parse(synthesize(choice).toJSON()))).toEqual([]);
});

describe('an update that loses a resource is found:', () => {
  const { Resources } = templateOf('1.0.0', 'all-options');
  const before = { Resources: Object.fromEntries(Object.entries(Resources).filter(([, { Type }]) => Type in STATE)) };
  /** The property of each type whose change replaces the resource. A user pool, a distribution and an address have none. */
  const REPLACING: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'AWS::ApiGatewayV2::Api': { ProtocolType: 'WEBSOCKET' },
    'AWS::Cognito::UserPoolClient': { GenerateSecret: true },
    'AWS::Cognito::UserPoolDomain': { Domain: 'another' },
    'AWS::DynamoDB::Table': { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
    'AWS::Events::EventBus': { Name: 'another' },
    'AWS::S3::Bucket': { BucketName: 'another' },
    'AWS::SQS::Queue': { FifoQueue: true },
    'AWS::SecretsManager::Secret': { Name: 'another' },
  };
  const cases = Object.entries(before.Resources).flatMap(([id, resource]) => {
    const { [id]: _, ...others } = before.Resources;
    const change = REPLACING[resource.Type];
    const replaced = { ...resource, Properties: { ...resource.Properties, ...change } };
    return [
      { name: `${id} is removed`, resources: others },
      { name: `${id} has another logical id`, resources: { ...others, [`${id}2`]: resource } },
      ...(change === undefined ? [] : [{ name: `${id} is replaced`, resources: { ...others, [id]: replaced } }]),
    ].map(({ name, resources }) => ({ name, id, resources }));
  });

  test.each(cases)('$name', ({ id, resources }) => {
    expect(lostBetween(before, { Resources: resources })).toEqual([
      expect.stringMatching(new RegExp(`^(WILL|MAY)_(REPLACE|DESTROY|ORPHAN) ${id}$`)),
    ]);
  });
});
