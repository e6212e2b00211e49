import { Match, type Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { shareConcurrency } from '../../lib/concurrency.ts';
import { stackOf, synthesize } from './synthesized.ts';

const production = await synthesize();
/** With CloudFront's access log. */
const logged = await synthesize('production with every option');

/** The properties that name a resource. Two resources with the same name clash. */
const NAMES = ['Name', 'FunctionName', 'RoleName', 'TableName', 'QueueName', 'BucketName', 'LogGroupName', 'AlarmName'];
/** These hold parts of a named resource, or dimensions, which name another resource. */
const PARTS = ['Attributes', 'Dimensions', 'Metrics', 'SchemaV2', 'Schema', 'Tags'];
/** Types whose names are unique in an account, over all regions. */
const GLOBAL = /^(AWS::CloudFront::|AWS::IAM::|AWS::S3::Bucket |Custom::AWS)/;

/** Returns the types and names of the resources that the template names itself, instead of leaving it to CloudFormation. */
function namesIn(template: Template): string[] {
  const found = (type: string, properties: unknown): string[] =>
    typeof properties !== 'object' || properties === null
      ? []
      : Object.entries(properties).flatMap(([key, inner]) => {
          if (PARTS.includes(key)) return [];
          const isName =
            NAMES.includes(key) && !(typeof inner === 'object' && ('Ref' in inner || 'Fn::GetAtt' in inner));
          return [...(isName ? [`${type} ${JSON.stringify(inner)}`] : []), ...found(type, inner)];
        });
  const resources = z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() }));
  return Object.values(resources.parse(template.toJSON().Resources)).flatMap(({ Type, Properties }) =>
    // The calls that create the parts of the access log name these parts.
    Type === 'Custom::AWS' ? [`${Type} ${JSON.stringify(Properties)}`] : found(Type, Properties),
  );
}

test('two stacks of one account share no name, and no global name in two regions', () => {
  const names = namesIn(production);
  // These need not be unique: an API's name is a label, the others are unique within one API or pool.
  expect(names.filter((name) => !name.includes('VaWave'))).toEqual([
    'AWS::ApiGatewayV2::Api "Http"',
    'AWS::ApiGatewayV2::Authorizer "DashboardLogin"',
    'AWS::Cognito::UserPool "verified_email"',
    'AWS::Cognito::UserPoolResourceServer "va-wave-dashboard"',
  ]);
  const globalNames = names.filter((name) => GLOBAL.test(name));
  expect(globalNames.length).toBeGreaterThan(3);
  for (const name of globalNames) expect(name).toContain('{"Ref":"AWS::Region"}');
});

test.each([
  ['production', 'VaWave', true],
  ['development', 'VaWave', false],
  ['another name', 'Second', true],
] as const)('in %s, the stack is called %s and its termination protection is %p', async (choice, name, expected) => {
  expect(await stackOf(choice)).toEqual({ stackName: name, terminationProtection: expected });
});

/** The maximum concurrency of the router and the dispatcher. */
const concurrencyOf = (template: Template) =>
  Object.values(template.findResources('AWS::Lambda::EventSourceMapping'))
    .map(({ Properties }) => Properties.ScalingConfig.MaximumConcurrency)
    .sort((one, other) => one - other);

describe('a new account', () => {
  test.each([
    [10, { router: 2, dispatcher: 4, requestsPerSecond: 40 }],
    [50, { router: 2, dispatcher: 24, requestsPerSecond: 240 }],
    [1000, { router: 20, dispatcher: 490, requestsPerSecond: 4900 }],
    [10_000, { router: 20, dispatcher: 1000, requestsPerSecond: 10_000 }],
  ])('divides its concurrency of %p among the router, the dispatcher and the API', (accountConcurrency, shares) => {
    expect(shareConcurrency({ accountConcurrency })).toEqual(shares);
    expect(shares.router + shares.dispatcher).toBeLessThan(accountConcurrency);
  });

  test.each([
    [{ deliveriesPerSecond: 10 }, { router: 20, dispatcher: 500 }],
    [
      { deliveriesPerSecond: 10_000, accountConcurrency: 2000 },
      { router: 100, dispatcher: 990 },
    ],
    [
      { deliveriesPerSecond: 15_000, accountConcurrency: 1650 },
      { router: 150, dispatcher: 815 },
    ],
    [
      { deliveriesPerSecond: 15_000, accountConcurrency: 1650, deliveryConcurrency: 2 },
      { router: 150, dispatcher: 2 },
    ],
  ])('has what an expected load needs, and never less than without it: %p', (options, shares) => {
    expect(shareConcurrency(options)).toMatchObject(shares);
  });

  test('needs one option, which lowers the limits of the router, the dispatcher and the API', async () => {
    const template = await synthesize('a new account');
    expect(concurrencyOf(template)).toEqual([2, 4]);
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const throttles: { ThrottlingRateLimit: number }[] = [
      stage?.Properties.DefaultRouteSettings,
      ...Object.values<{ ThrottlingRateLimit: number }>(stage?.Properties.RouteSettings),
    ];
    // Ten for each of its four free executions, and each route has one at least.
    expect(throttles.reduce((sum, { ThrottlingRateLimit }) => sum + ThrottlingRateLimit, 0)).toBe(41);
    // No function reserves concurrency: an account with a concurrency of ten cannot reserve any.
    template.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: Match.absent() });
  });

  test('accepts a separate value for the dispatcher', async () => {
    expect(concurrencyOf(await synthesize('a small account with few dispatchers'))).toEqual([2, 7]);
  });
});

describe('a known load', () => {
  test('has provisioned pollers only above the maximum of a mapping, for both queues within the account', async () => {
    const mappings = (await synthesize('a known load')).findResources('AWS::Lambda::EventSourceMapping');
    const configured = Object.values(mappings).map(
      ({ Properties }) => Properties.ScalingConfig ?? Properties.ProvisionedPollerConfig,
    );
    // The router's 400 invocations, and the dispatcher's 2 000, of the 4 400 of the account.
    expect(configured).toEqual([{ MaximumConcurrency: 400 }, { MinimumPollers: 200, MaximumPollers: 200 }]);
  });
});

const template = await synthesize('tables that exist');

describe('existing tables', () => {
  test('are not created, and the other tables are', () => {
    expect(Object.keys(template.findResources('AWS::DynamoDB::Table'))).toEqual([
      expect.stringMatching(/^TablesCounters/),
      expect.stringMatching(/^TablesDeliveryLog/),
    ]);
    template.hasOutput('ConfigurationTable', { Value: 'restored' });
  });

  test('are in the functions’ environment and permissions', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ CONFIGURATION_TABLE: 'restored', CONVERSATIONS_TABLE: 'kept' }) },
    });
    const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
    expect(policies).toContain(':table/restored"');
    expect(policies).toContain(':table/kept"');
  });
});

describe('any region', () => {
  test('gets its access logs through calls to us-east-1, because CloudFront’s older logging excludes opt-in regions', () => {
    logged.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: { Logging: Match.absent() },
    });
    const calls = Object.values(logged.findResources('Custom::AWS')).map(({ Properties }) =>
      JSON.stringify(Properties),
    );
    expect(calls).toHaveLength(3);
    for (const call of calls) expect(call).toContain('\\"region\\":\\"us-east-1\\"');
    logged.allResourcesProperties('AWS::S3::Bucket', { AccessControl: Match.absent() });
  });

  test('has the bucket policy statement that AWS requires for the delivery of logs', () => {
    logged.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Sid: 'AWSLogDeliveryWrite',
            Principal: { Service: 'delivery.logs.amazonaws.com' },
            Action: 's3:PutObject',
            Condition: {
              StringEquals: {
                's3:x-amz-acl': 'bucket-owner-full-control',
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
              },
              ArnLike: Match.anyValue(),
            },
          }),
        ]),
      },
    });
  });

  test('works, because the template names only us-east-1, for resources that exist only there', () => {
    const text = JSON.stringify(production.toJSON());
    expect(new Set(text.match(/\b(?:us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d\b/g))).toEqual(new Set(['us-east-1']));
  });
});

describe('an account with guard rails', () => {
  test('can have every role within its permissions boundary, by the CDK’s own context', async () => {
    const guarded = await synthesize('guard rails');
    const roles = Object.values(guarded.findResources('AWS::IAM::Role'));
    expect(roles.length).toBeGreaterThan(10);
    for (const { Properties } of roles) {
      expect(JSON.stringify(Properties.PermissionsBoundary)).toContain(':policy/Boundary');
    }
  });

  test('has no access log of CloudFront unless asked, so the stack creates nothing in another region', () => {
    production.resourceCountIs('Custom::AWS', 0);
    production.resourceCountIs('AWS::S3::Bucket', 1);
    expect(JSON.stringify(production.toJSON())).not.toContain('us-east-1:');
  });
});

test('earlier versions of the files that pages load can be restored', () => {
  production.hasResourceProperties('AWS::S3::Bucket', {
    VersioningConfiguration: { Status: 'Enabled' },
    LifecycleConfiguration: { Rules: [Match.objectLike({ NoncurrentVersionExpiration: { NoncurrentDays: 90 } })] },
  });
});
