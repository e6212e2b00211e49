import { Match } from 'aws-cdk-lib/assertions';
import { Authorizer } from '../../../local/cloud/access/authorizer.ts';
import { policyDocument } from '../../../local/cloud/access/policies.ts';
import { DELIVERED_EVENTS, EVENT_NAMES } from '../../../src/contract/events.ts';
import { PUBLIC_OPERATIONS } from '../../../src/contract/public-operations.ts';
import { CUT_OFF_SECONDS } from '../../../src/contract/queues.ts';
import { ACCESS_LOG_OUTPUT, FUNCTIONS, logOutput } from '../../../src/deployment/outputs.ts';
import { bringsAlong, grantsOf, nameOf, synthesize } from './synthesized.ts';

const template = synthesize();

const ofType = (type: string) =>
  Object.entries(template.findResources(type)).map(([id, resource]) => ({ name: nameOf(id), resource }));

const functions = ofType('AWS::Lambda::Function')
  .filter(({ name }) => !bringsAlong(name))
  .map(({ name, resource }) => ({ name: name.replace(/Function$/, ''), ...resource.Properties }));

/** The actions that Lambda needs to poll a queue for a function. */
const CONSUME = 'ChangeMessageVisibility,DeleteMessage,GetQueueAttributes,GetQueueUrl,ReceiveMessage';
/** The operator's topics, by the beginning of their names. */
const ESCALATION = ['arn:', 'AWS::Partition', ':sns:', 'AWS::Region', ':', 'AWS::AccountId', ':va-wave-escalation-*'];
const refs = ESCALATION.map((part) => (part.startsWith('AWS::') ? { Ref: part } : part));
/** The service and the construct of each word of the table. */
const RESOURCES: Readonly<Record<string, readonly [service: string, construct: string]>> = {
  Configuration: ['dynamodb', 'TablesConfigurationTable'],
  Counters: ['dynamodb', 'TablesCountersTable'],
  Conversations: ['dynamodb', 'TablesConversationsTable'],
  DeliveryLog: ['dynamodb', 'TablesDeliveryLogTable'],
  Token: ['secretsmanager', 'KeysToken'],
  Sealing: ['secretsmanager', 'KeysSealing'],
  Origin: ['secretsmanager', 'KeysOrigin'],
  Bus: ['events', 'MessagingBus'],
  Events: ['sqs', 'MessagingEventsQueue'],
  Deliveries: ['sqs', 'MessagingDeliveriesQueue'],
  ActionTest: ['lambda', 'DashboardActionTestFunction'],
  Escalation: ['sns', JSON.stringify({ 'Fn::Join': ['', refs] })],
};
/** Everything that each function may do. Each function may also write its own log. */
const GRANTS: Readonly<Record<string, string>> = {
  WidgetRoutesSessionCreate: 'Configuration:GetItem Counters:UpdateItem Token:GetSecretValue Origin:GetSecretValue',
  WidgetRoutesWidgetInit:
    'Configuration:GetItem,Query Counters:UpdateItem Conversations:GetItem,PutItem Token:GetSecretValue Origin:GetSecretValue Bus:PutEvents',
  WidgetRoutesFormSubmit:
    'Configuration:GetItem Counters:UpdateItem Conversations:GetItem,UpdateItem DeliveryLog:PartiQLInsert,PartiQLUpdate Token:GetSecretValue Sealing:GetSecretValue Origin:GetSecretValue Escalation:Publish',
  WidgetRoutesPreflight: 'Configuration:GetItem,Query',
  ApiNotFound: '',
  DeliveriesEventRouter:
    'Configuration:BatchGetItem,Query DeliveryLog:PartiQLInsert Deliveries:SendMessage Events:CONSUME',
  DeliveriesDispatcher:
    'Configuration:BatchGetItem Counters:UpdateItem DeliveryLog:BatchGetItem,PartiQLInsert,PartiQLUpdate,Query Bus:PutEvents Sealing:GetSecretValue Deliveries:CONSUME,SendMessage',
  AssistantRuntimeAiAction:
    'Configuration:GetItem,Query Counters:UpdateItem Conversations:PutItem,UpdateItem DeliveryLog:PartiQLInsert,PartiQLUpdate Sealing:GetSecretValue',
  AssistantRuntimeUsageReport:
    'Configuration:GetItem Counters:UpdateItem DeliveryLog:PartiQLInsert,PartiQLUpdate Token:GetSecretValue',
  DashboardActionTest:
    'Configuration:GetItem Counters:UpdateItem DeliveryLog:PartiQLInsert,PartiQLUpdate Sealing:GetSecretValue',
  DashboardApi:
    'Configuration:BatchGetItem,ConditionCheckItem,DeleteItem,GetItem,PutItem,Query,UpdateItem Counters:BatchGetItem ActionTest:InvokeFunction Sealing:GetSecretValue',
  KeysKeyRotation: 'Token:GetSecretValue,PutSecretValue,UpdateSecretVersionStage',
};

/** Returns the grants of a row of the table. */
const grantsIn = (row: string): string[] =>
  row
    .split(' ')
    .filter(Boolean)
    .flatMap((word) => {
      const [name = '', calls = ''] = word.split(':');
      const [service, construct] = RESOURCES[name] ?? [];
      return calls
        .replace('CONSUME', CONSUME)
        .split(',')
        .map((call) => `${service}:${call} ${construct}`);
    });

describe('each function', () => {
  test('is in the table of grants, which lists no other function', () => {
    expect(functions.map(({ name }) => name).sort()).toEqual(Object.keys(GRANTS).sort());
  });

  test.each(functions)('$name has exactly the permissions of the table', ({ name }) => {
    const log = [`logs:CreateLogStream ${name}Log`, `logs:PutLogEvents ${name}Log`];
    expect(grantsOf(template, `${name}Role`)).toEqual([...grantsIn(GRANTS[name] ?? ''), ...log].sort());
  });

  test.each(functions)('$name runs on Node 24 and arm64, logs JSON, and is not traced', (fn) => {
    expect(fn).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    expect(fn.LoggingConfig.LogFormat).toBe('JSON');
    expect(nameOf(fn.LoggingConfig.LogGroup.Ref)).toBe(`${fn.name}Log`);
    expect(fn.TracingConfig).toBeUndefined();
    expect(fn.Timeout).toBeLessThan(30);
  });

  // cdk-nag finds managed policies.
  test.each(functions)('$name has a role of its own', (fn) => {
    expect(nameOf(fn.Role['Fn::GetAtt'][0])).toBe(`${fn.name}Role`);
  });
});

test('an output names the log of every function and of the API', () => {
  // The canary is an option.
  const all = synthesize('production with every option');
  for (const name of [...FUNCTIONS, 'api'] as const) {
    const [output] = Object.values(all.findOutputs(name === 'api' ? ACCESS_LOG_OUTPUT : logOutput(name)));
    const construct = name === 'api' ? 'apiaccess' : name.replaceAll('-', '').replace('dashboardapi', 'api');
    expect(String(output?.Value.Ref).toLowerCase()).toContain(`${construct}log`);
    expect(Object.keys(all.findResources('AWS::Logs::LogGroup'))).toContain(output?.Value.Ref);
  }
});

test.each([
  ['TablesConfigurationTable', ['pk', 'sk'], 'expires_at'],
  ['TablesCountersTable', ['pk'], 'expires_at'],
  ['TablesConversationsTable', ['pk', 'sk'], 'expires_at'],
  ['TablesDeliveryLogTable', ['pk', 'sk'], 'expires_at'],
])('%s is on demand and encrypted, and has keys %p and expiry %p', (name, keys, expiry) => {
  const found = ofType('AWS::DynamoDB::Table').find((table) => table.name === name)?.resource;
  expect(found?.Properties).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keys.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: name !== 'TablesDeliveryLogTable' },
    // DynamoDB encrypts with a key that AWS owns, which costs nothing.
    SSESpecification: { SSEEnabled: false },
  });
  expect(found?.Properties.TimeToLiveSpecification?.AttributeName).toBe(expiry);
});

test.each(['KeysToken', 'KeysSealing'])('%s is generated as a ring of one key', (name) => {
  const secret = ofType('AWS::SecretsManager::Secret').find((one) => one.name === name)?.resource;
  expect(secret).toMatchObject({
    Properties: {
      GenerateSecretString: { SecretStringTemplate: '{"kid":"k1"}', GenerateStringKey: 'key', PasswordLength: 64 },
    },
  });
  expect(secret?.Properties).not.toHaveProperty('SecretString');
});

describe('queues', () => {
  test.each([
    ['Events', 'DeliveriesEventRouter', { maxConcurrency: 20, receives: 25, visibility: 150 }],
    ['Deliveries', 'DeliveriesDispatcher', { maxConcurrency: 490, receives: 25, visibility: 30 }],
  ])(
    '%s invokes %s, which may fail a part of a batch, with %j',
    (queue, name, { maxConcurrency, receives, visibility }) => {
      const mapping = ofType('AWS::Lambda::EventSourceMapping').find((one) =>
        one.name.startsWith(`${name}Function`),
      )?.resource;
      expect(mapping?.Properties).toMatchObject({
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: maxConcurrency },
        EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(`^Messaging${queue}Queue`), 'Arn'] },
      });
      const found = ofType('AWS::SQS::Queue').find((one) => one.name === `Messaging${queue}Queue`)?.resource;
      expect(found?.Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        RedrivePolicy: {
          maxReceiveCount: receives,
          deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(`^Messaging${queue}DeadLetters`), 'Arn'] },
        },
      });
      expect(found?.Properties.VisibilityTimeout).toBe(visibility);
    },
  );

  test('make a message visible again only after an attempt that was cut off has ended', () => {
    const dispatcher = functions.find(({ name }) => name === 'DeliveriesDispatcher');
    expect(dispatcher?.Timeout).toBeLessThan(CUT_OFF_SECONDS);
    const queue = ofType('AWS::SQS::Queue').find(({ name }) => name === 'MessagingDeliveriesQueue')?.resource;
    expect(queue?.Properties.VisibilityTimeout).toBeGreaterThan(CUT_OFF_SECONDS);
  });

  test('keep dead letters for two weeks', () => {
    const deadLetters = ofType('AWS::SQS::Queue').filter(({ name }) => name.endsWith('DeadLetters'));
    expect(deadLetters.map(({ resource }) => resource.Properties.MessageRetentionPeriod)).toEqual([
      1_209_600, 1_209_600,
    ]);
  });

  // cdk-nag finds a queue that does not require TLS.
  test('accept events only from the rule', () => {
    for (const { resource } of ofType('AWS::SQS::QueuePolicy')) {
      for (const { Effect, Action, Condition } of resource.Properties.PolicyDocument.Statement) {
        if (Effect !== 'Allow') continue;
        expect(JSON.stringify(Action)).not.toContain('*');
        expect(Condition).toMatchObject({
          ArnEquals: {
            'aws:SourceArn': { 'Fn::GetAtt': [expect.stringMatching(/^Messaging(CatalogEvents|UnknownNames)/), 'Arn'] },
          },
        });
      }
    }
  });
});

describe('the role of the dashboard', () => {
  const policy = ofType('AWS::IAM::Policy').find(({ name }) => name === 'DashboardApiRoleDefaultPolicy');
  const { Statement } = policyDocument.parse(
    JSON.parse(JSON.stringify(policy?.resource.Properties.PolicyDocument), (key, value) =>
      key === 'Resource' ? '*' : value,
    ),
  );
  const statements = Statement.map((statement, index) => ({ role: 'Role', index, statement }));
  const role = { logicalId: 'Role', arn: 'arn:aws:iam::000000000000:role/role', trust: [], statements };
  const caller = { kind: 'function', functionId: 'Api', sessionArn: 'arn:session', role } as const;

  test.each([
    ['PutItem', 'AUDIT#org_1', true],
    ['UpdateItem', 'AUDIT#org_1', false],
    ['DeleteItem', 'AUDIT#org_1', false],
    ['Query', undefined, true],
    ['BatchWriteItem', undefined, false],
    ['PartiQLUpdate', undefined, false],
    ['PartiQLDelete', undefined, false],
    ['UpdateItem', 'ORG#org_1', true],
    ['DeleteItem', 'SITE#site_1', true],
  ])('may call %s on %s: %p', (call, key, isAllowed) => {
    const sets = key === undefined ? {} : { 'dynamodb:LeadingKeys': [key] };
    const denial = new Authorizer().check(caller, { action: `dynamodb:${call}`, resource: '*', sets });
    expect(denial === undefined).toBe(isAllowed);
  });
});

const [rule, unknownNames, ...moreRules] = ofType('AWS::Events::Rule').filter(
  ({ resource }) => resource.Properties.EventPattern !== undefined,
);

test('the rule sends exactly the delivered events to the events queue, grouped by organization', () => {
  expect(rule?.resource.Properties).toMatchObject({
    EventBusName: { Ref: expect.stringMatching(/^MessagingBus/) },
    State: 'ENABLED',
    Targets: [
      {
        Arn: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingEventsQueue/), 'Arn'] },
        // Without the group, which a publisher may have written wrongly.
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingEventsQueue/), 'Arn'] } },
        SqsParameters: { MessageGroupId: '$.detail.org_id' },
      },
    ],
  });
  expect(rule?.resource.Properties.EventPattern).toEqual({ 'detail-type': [...DELIVERED_EVENTS] });
});

test('another rule sends what names an unknown name to the router, without its detail and as one group', () => {
  expect(moreRules).toEqual([]);
  const { EventPattern, Targets } = unknownNames?.resource.Properties ?? {};
  expect(EventPattern).toEqual({ 'detail-type': [{ 'anything-but': [...EVENT_NAMES, 'va-wave.endpoint.failing'] }] });
  // EventBridge's limit is 2048 characters.
  expect(JSON.stringify(EventPattern).length).toBeLessThan(1024);
  // Its dead letter would be the event as it was sent, which the router would keep for newer code.
  expect(Targets).toEqual([
    {
      Id: 'Target0',
      Arn: { 'Fn::GetAtt': [expect.stringMatching(/^MessagingEventsQueue/), 'Arn'] },
      SqsParameters: { MessageGroupId: 'unknown-names' },
      InputTransformer: {
        InputPathsMap: { id: '$.id', 'detail-type': '$.detail-type', source: '$.source', account: '$.account' },
        InputTemplate: '{"id":<id>,"detail-type":<detail-type>,"source":<source>,"account":<account>}',
      },
    },
  ]);
});

test('a schedule invokes the key rotation every hour', () => {
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 hour)',
    State: 'ENABLED',
    Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^KeysKeyRotationFunction'), 'Arn'] } })],
  });
});

test('the access log of the API needs no statement in the account’s policy for log groups, whose length is limited', () => {
  const log = ofType('AWS::Logs::LogGroup').find(({ name }) => name === 'ApiAccessLog')?.resource;
  expect(JSON.stringify(log?.Properties.LogGroupName)).toContain('/aws/vendedlogs/va-wave/');
  // The log of a construct that was removed stays. The id of the API keeps the next one from its name.
  expect(log?.Properties.LogGroupName['Fn::Join'][1]).toContainEqual({ Ref: expect.stringMatching(/^ApiHttp/) });
});

test('the API has every public operation, the preflight, and a default route for all others', () => {
  const keys = ofType('AWS::ApiGatewayV2::Route').map(({ resource }) => String(resource.Properties.RouteKey));
  expect(keys).toEqual(
    expect.arrayContaining([
      '$default',
      'OPTIONS /api/{proxy+}',
      'POST /api/widget/session/create',
      'POST /api/widget/init',
      'POST /api/widgets/sites/{site_id}/forms/{slug}/submit',
      ...Object.values(PUBLIC_OPERATIONS).map(({ method, path }) => `${method} ${path}`),
    ]),
  );
  // The built-in CORS answer does not depend on the site.
  template.allResourcesProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
});

describe('the distribution', () => {
  const config = ofType('AWS::CloudFront::Distribution')[0]?.resource.Properties.DistributionConfig;

  test('leads from / to the dashboard', () => {
    const root = JSON.stringify(template.findResources('Custom::CDKBucketDeployment'));
    expect([config.DefaultRootObject, root]).toEqual(['index.html', expect.stringContaining('EdgeRoot')]);
  });

  test('keeps no error of the API, whose users share the key of a path', () => {
    const kept = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(kept.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  test('lets the bucket answer the preflight of a page that adds headers to every request', () => {
    const { AllowedMethods, OriginRequestPolicyId } = config.DefaultCacheBehavior;
    expect([AllowedMethods, OriginRequestPolicyId]).toEqual([
      ['GET', 'HEAD', 'OPTIONS'],
      '88a5eaf4-2fd4-4709-b370-b4c650ea3fcf',
    ]);
    template.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: {
        CorsRules: [{ AllowedOrigins: ['*'], AllowedHeaders: ['*'], AllowedMethods: ['GET', 'HEAD'] }],
      },
    });
  });

  test('sends /api/* to the API over TLS, uncached, with the origin secret and without the host', () => {
    const api = config.CacheBehaviors.find((behavior: { PathPattern: string }) => behavior.PathPattern === '/api/*');
    expect(api).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
    });
    expect(api.AllowedMethods).toEqual(expect.arrayContaining(['POST', 'OPTIONS']));
    const origin = config.Origins.find((one: { Id: string }) => one.Id === api.TargetOriginId);
    expect(origin).toMatchObject({
      CustomOriginConfig: { OriginProtocolPolicy: 'https-only' },
      OriginCustomHeaders: [{ HeaderName: 'x-va-wave-origin' }],
    });
    expect(JSON.stringify(origin.OriginCustomHeaders)).toContain('{{resolve:secretsmanager:');
    template.hasResourceProperties('AWS::CloudFront::OriginRequestPolicy', {
      OriginRequestPolicyConfig: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: {
          HeaderBehavior: 'whitelist',
          Headers: [
            'Origin',
            'Referer',
            'X-Site-Id',
            'X-Session-Token',
            'X-Server-Key',
            'Content-Type',
            'Access-Control-Request-Method',
            'Access-Control-Request-Headers',
            'CloudFront-Viewer-Address',
          ],
        },
        QueryStringsConfig: { QueryStringBehavior: 'whitelist', QueryStrings: ['site'] },
      },
    });
  });

  test('sends the dashboard’s API every header but the host, and no cookie of the domain', () => {
    const [behavior] = config.CacheBehaviors.filter(({ PathPattern = '' }) => PathPattern === '/api/dashboard/*');
    const { OriginRequestPolicyConfig } =
      template.findResources('AWS::CloudFront::OriginRequestPolicy')[behavior.OriginRequestPolicyId.Ref]?.Properties ??
      {};
    expect(OriginRequestPolicyConfig).toMatchObject({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'allExcept', Headers: ['Host'] },
      QueryStringsConfig: { QueryStringBehavior: 'all' },
    });
  });

  // cdk-nag finds a bucket that is public, and an origin without access control.
  test('serves the rest redirecting to TLS', () => {
    expect(config.DefaultCacheBehavior.ViewerProtocolPolicy).toBe('redirect-to-https');
  });

  test('lets pages of every site load its files, also isolated pages', () => {
    const { Ref } = config.DefaultCacheBehavior.ResponseHeadersPolicyId;
    const policy = template.findResources('AWS::CloudFront::ResponseHeadersPolicy')[Ref]?.Properties;
    expect(policy.ResponseHeadersPolicyConfig).toMatchObject({
      CorsConfig: { AccessControlAllowOrigins: { Items: ['*'] }, AccessControlAllowCredentials: false },
      CustomHeadersConfig: {
        Items: [{ Header: 'Cross-Origin-Resource-Policy', Value: 'cross-origin', Override: true }],
      },
      SecurityHeadersConfig: { ContentTypeOptions: { Override: true } },
    });
  });

  test('serves the widget under the path of the spec', () => {
    template.hasResourceProperties('Custom::CDKBucketDeployment', {
      DestinationBucketKeyPrefix: 'static',
      DistributionPaths: ['/static/va-wave-widget.js'],
      Prune: false,
    });
  });
});

test('Lambda lets only the dispatcher send messages to the queue that invokes it', () => {
  const recursive = ofType('AWS::Lambda::Function').filter(
    ({ resource }) => resource.Properties.RecursiveLoop === 'Allow',
  );
  expect(recursive.map(({ name }) => name)).toEqual(['DeliveriesDispatcherFunction']);
});

test('each route has its own throttle, so a flood of one leaves the others their shares', () => {
  const [stage] = ofType('AWS::ApiGatewayV2::Stage');
  const routes = ofType('AWS::ApiGatewayV2::Route').map(({ resource }) => String(resource.Properties.RouteKey));
  const throttled = stage?.resource.Properties.RouteSettings;
  expect([...Object.keys(throttled), '$default'].sort()).toEqual(routes.sort());
  // API Gateway refuses settings of a route that does not exist yet.
  const created = Object.entries(template.findResources('AWS::ApiGatewayV2::Route'))
    .filter(([, { Properties }]) => Properties.RouteKey !== '$default')
    .map(([id]) => id);
  expect(stage?.resource.DependsOn).toEqual(expect.arrayContaining(created));
});

describe('the login', () => {
  test('issues no token with which a member could change the attributes of the login', () => {
    const clients = ofType('AWS::Cognito::UserPoolClient').map(({ resource }) => resource.Properties);
    // Without the property, Cognito allows SRP, whose tokens have the scope aws.cognito.signin.user.admin.
    expect(clients[0].ExplicitAuthFlows).toEqual(['ALLOW_ADMIN_USER_PASSWORD_AUTH']);
    expect(JSON.stringify(clients[0].AllowedOAuthScopes)).not.toContain('aws.cognito');
    expect(clients[0].WriteAttributes).toEqual(['locale']);
  });

  test('replaces an email address only after the new one is verified', () => {
    template.hasResourceProperties('AWS::Cognito::UserPool', {
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      AutoVerifiedAttributes: ['email'],
    });
  });
});
