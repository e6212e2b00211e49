import { App } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { notesOnCapacity, shareConcurrency } from '../../../lib/concurrency.ts';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';
import { namesIn, stackOf, synthesize } from './synthesized.ts';

const production = synthesize();
const newAccount = synthesize('a new account');
/** With CloudFront's access log. */
const logged = synthesize('production with every option');

/** Types whose names are unique in an account, over all regions. */
const GLOBAL = /^(AWS::CloudFront::|AWS::IAM::|AWS::S3::Bucket |Custom::AWS)/;

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

test('a policy for 30 accounts is one that AWS takes', () => {
  const policies = Object.values(newAccount.findResources('AWS::Events::EventBusPolicy'));
  expect(policies).toHaveLength(30);
  // With the longest names of a region and of this bus.
  const statements = JSON.stringify(policies.map(({ Properties }) => Properties.Statement))
    .replace(/\{"Fn::GetAtt":\["(\w+)","Arn"\]\}/g, '"arn:aws:events:ap-southeast-1:123456789012:event-bus/VaWave$1"')
    .replace(/\{"Fn::Join".*?:iam::(\d+):root"\]\]\}/g, '"arn:aws:iam::$1:root"');
  expect(statements.length).toBeLessThan(10_240);
});

test.each([34, 60, 100])(
  'a policy for %d accounts is refused, and the organization of the accounts is the way out',
  (length) => {
    const platformAccounts = Array.from({ length }, (_, index) => String(100_000_000_000 + index));
    const deploy = () => new VaWaveStack(new App(), 'VaWave', { platformAccounts });
    expect(deploy).toThrow('name the organization of the accounts (o-…) instead');
  },
);

test.each([
  ['production', 'VaWave', true],
  ['development', 'VaWave', false],
  ['a new account', 'Second', true],
] as const)('in %s, the stack is called %s and its termination protection is %p', (choice, name, expected) => {
  expect(stackOf(choice)).toEqual({ stackName: name, terminationProtection: expected });
});

/** The maximum concurrency of the router and the dispatcher, each mapping with its pollers or its limit. */
const mappingsOf = (template: Template) =>
  Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).map(
    ({ Properties }) => Properties.ScalingConfig ?? Properties.ProvisionedPollerConfig,
  );

describe('the concurrency of an account', () => {
  test.each([
    [{ accountConcurrency: 10 }, { router: 2, dispatcher: 4, requestsPerSecond: 40, waiting: undefined }],
    [{ accountConcurrency: 50 }, { router: 2, dispatcher: 24, requestsPerSecond: 240, waiting: undefined }],
    [{ accountConcurrency: 1000 }, { router: 20, dispatcher: 490, requestsPerSecond: 4900, waiting: 61 }],
    [{ accountConcurrency: 10_000 }, { router: 20, dispatcher: 1000, requestsPerSecond: 10_000, waiting: 1122 }],
    // Nothing is reserved without it: the deployment would fail in an account with a smaller quota.
    [{}, { router: 20, dispatcher: 490, requestsPerSecond: 4900, waiting: undefined }],
    [{ deliveriesPerSecond: 10 }, { router: 20, dispatcher: 490 }],
    [{ deliveriesPerSecond: 10_000 }, { account: 1100, router: 100, dispatcher: 500, requestsPerSecond: 5000 }],
    [
      { deliveriesPerSecond: 10_000, accountConcurrency: 2000 },
      { router: 100, dispatcher: 950 },
    ],
    [
      { deliveriesPerSecond: 15_000, deliveryConcurrency: 2 },
      { router: 150, dispatcher: 2 },
    ],
    // 300 pollers receive the load, each with ten invocations.
    [{ deliveriesPerSecond: 30_000 }, { account: 4800, router: 300, dispatcher: 3000 }],
  ])('is divided for %p', (options, shares) => {
    expect(shareConcurrency(options)).toMatchObject(shares);
  });

  test.each([10, 100, 101, 120, 999, 1000, 5000])('of %p is never exceeded, and requests keep a part', (account) => {
    const { router, dispatcher, requestsPerSecond, waiting = 0 } = shareConcurrency({ accountConcurrency: account });
    expect(router + dispatcher + 4 * waiting).toBeLessThan(account);
    if (waiting > 0) expect(account - 4 * waiting).toBeGreaterThanOrEqual(100);
    // Lambda takes ten requests a second for each execution of the account, also those of the queues.
    expect(requestsPerSecond).toBeLessThanOrEqual(10 * (account - router - dispatcher));
  });

  test('of a new account sets the limits of the router, the dispatcher and the API', () => {
    expect(mappingsOf(newAccount)).toEqual([{ MaximumConcurrency: 2 }, { MaximumConcurrency: 4 }]);
    const [stage] = Object.values(newAccount.findResources('AWS::ApiGatewayV2::Stage'));
    const throttles: { ThrottlingRateLimit: number }[] = [
      stage?.Properties.DefaultRouteSettings,
      ...Object.values<{ ThrottlingRateLimit: number }>(stage?.Properties.RouteSettings),
    ];
    // Each route has one at least.
    expect(throttles.reduce((sum, { ThrottlingRateLimit }) => sum + ThrottlingRateLimit, 0)).toBe(41);
  });

  test('has pollers for deliveries that no plain mapping carries, and a limit where an override asks for one', () => {
    expect(mappingsOf(synthesize('every option in a network that exists'))).toEqual([
      { MaximumConcurrency: 400 },
      { MinimumPollers: 2, MaximumPollers: 400 },
    ]);
    expect(mappingsOf(logged)).toEqual([
      { MaximumConcurrency: 400 },
      { MaximumConcurrency: ALL_OPTIONS.deliveryConcurrency },
    ]);
  });

  // A function with a reservation has just that, and all others have what is not reserved
  // (https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html).
  test('leaves widget init executions while endpoints of many organizations hang in every function that waits', () => {
    const reserved = Object.values(logged.findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties }) => Properties.ReservedConcurrentExecutions ?? [],
    );
    expect(reserved).toEqual([662, 662, 662, 662]);
    const { accountConcurrency, deliveryConcurrency } = ALL_OPTIONS;
    expect(accountConcurrency - 4 * 662 - 400 - deliveryConcurrency).toBeGreaterThan(0);
  });
});

test('an operator of a known load reads its quota, the tables to warm, and the price of pollers', () => {
  const notes = (deliveriesPerSecond: number, accountConcurrency?: number) =>
    notesOnCapacity({ deliveriesPerSecond, accountConcurrency }).map(([, note]) => note);
  expect(notes(1000)).toEqual([]);
  expect(notes(1000, 10_000)).toEqual([]);
  expect(notes(10_000, 1100)).toEqual([expect.stringContaining('warm --deliveries-per-second 10000')]);
  expect(notes(30_000)).toEqual([
    expect.stringContaining('from 2 to 300 pollers, $0.00925 an hour'),
    expect.stringContaining('need 4800 concurrent executions'),
    expect.stringContaining('npx --no-install va-wave warm'),
  ]);
});

test('existing tables are not created, but named in outputs, environments and permissions', () => {
  const tables = Object.keys(newAccount.findResources('AWS::DynamoDB::Table'));
  expect(tables).toEqual([expect.stringMatching(/^TablesCounters/)]);
  newAccount.hasOutput('ConfigurationTable', { Value: 'restored' });
  newAccount.hasResourceProperties('AWS::Lambda::Function', {
    Environment: {
      Variables: Match.objectLike({
        VA_WAVE_CONFIGURATION_TABLE: 'restored',
        VA_WAVE_CONVERSATIONS_TABLE: 'kept',
        VA_WAVE_DELIVERY_LOG_TABLE: 'older-log',
      }),
    },
  });
  const policies = JSON.stringify(newAccount.findResources('AWS::IAM::Policy'));
  for (const name of ['restored', 'kept', 'older-log']) expect(policies).toContain(`:table/${name}"`);
});

describe('any region', () => {
  test('gets its access logs (edgeAccessLog) through calls to us-east-1, because CloudFront’s older logging excludes opt-in regions', () => {
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
  test('can have every role within its permissions boundary, by the CDK’s own context', () => {
    const roles = Object.values(newAccount.findResources('AWS::IAM::Role'));
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
