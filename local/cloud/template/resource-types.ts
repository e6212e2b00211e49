import * as z from 'zod';
import { policyDocument, trustDocument } from '../access/policies.ts';
import { ACCOUNT, arnOf, REGION } from '../account.ts';
import { isObject } from '../json.ts';

/** Where the listeners of this run are, `host:port`. */
export type Addresses = {
  readonly edge: string;
  readonly api: string;
  readonly gateway: string;
  readonly login: string;
};

/** What `Ref` and `Fn::GetAtt` give. */
export type ResourceIdentity = { readonly ref: string; readonly attributes: Readonly<Record<string, string>> };

export type Naming = {
  readonly logicalId: string;
  readonly addresses: Addresses;
  /** The name that the template gives the resource, else one made of the stack and the logical id. */
  name(): string;
  property(name: string, missing?: string): string;
  /** Letters and digits that are the same in every run. */
  hash(length: number): string;
};

const globalArn = (service: string, rest: string): string => `arn:aws:${service}::${ACCOUNT}:${rest}`;
const byLogicalId = ({ logicalId }: Naming): ResourceIdentity => ({ ref: logicalId, attributes: { Id: logicalId } });
const byName =
  (arnOfName: (name: string) => string) =>
  ({ name }: Naming): ResourceIdentity => ({ ref: name(), attributes: { Arn: arnOfName(name()) } });
const byText =
  (textOf: (naming: Naming) => string) =>
  (naming: Naming): ResourceIdentity => ({ ref: textOf(naming), attributes: {} });

/** The identities of the types that have more than a logical id. */
const IDENTITIES: Readonly<Record<string, (naming: Naming) => ResourceIdentity>> = {
  'AWS::DynamoDB::Table': byName((name) => arnOf('dynamodb', `table/${name}`)),
  'AWS::SQS::Queue': ({ name, addresses }) => ({
    ref: `http://${addresses.gateway}/${ACCOUNT}/${name()}`,
    attributes: { Arn: arnOf('sqs', name()), QueueName: name() },
  }),
  'AWS::SecretsManager::Secret': byText(({ name, hash }) => arnOf('secretsmanager', `secret:${name()}-${hash(6)}`)),
  'AWS::Events::EventBus': byName((name) => arnOf('events', `event-bus/${name}`)),
  'AWS::Events::Rule': ({ name, property }) => {
    const bus = property('EventBusName', 'default');
    const path = bus === 'default' ? name() : `${bus}/${name()}`;
    return { ref: `${bus}|${name()}`, attributes: { Arn: arnOf('events', `rule/${path}`) } };
  },
  'AWS::IAM::Role': byName((name) => globalArn('iam', `role/${name}`)),
  'AWS::Lambda::Function': byName((name) => arnOf('lambda', `function:${name}`)),
  'AWS::Logs::LogGroup': byName((name) => arnOf('logs', `log-group:${name}:*`)),
  'AWS::ApiGatewayV2::Api': ({ hash, addresses }) => ({
    ref: hash(10),
    attributes: { ApiEndpoint: `http://${addresses.api}` },
  }),
  'AWS::S3::Bucket': ({ name }) => {
    const ref = name().toLowerCase();
    const attributes = { Arn: `arn:aws:s3:::${ref}`, RegionalDomainName: `${ref}.s3.${REGION}.amazonaws.com` };
    return { ref, attributes };
  },
  'AWS::CloudFront::Distribution': ({ hash, addresses }) => ({
    ref: `E${hash(13).toUpperCase()}`,
    attributes: { DomainName: addresses.edge },
  }),
  'AWS::CloudFront::Function': ({ name }) => {
    const ref = globalArn('cloudfront', `function/${name()}`);
    return { ref, attributes: { FunctionARN: ref } };
  },
  'AWS::Cognito::UserPool': ({ hash, addresses }) => {
    const ref = `${REGION}_${hash(9)}`;
    const attributes = { Arn: arnOf('cognito-idp', `userpool/${ref}`), ProviderName: addresses.login };
    return { ref, attributes };
  },
  'AWS::Cognito::UserPoolClient': byText(({ hash }) => hash(26)),
  'AWS::Cognito::UserPoolDomain': byText(({ property }) => property('Domain')),
  'AWS::Cognito::UserPoolResourceServer': byText(({ property }) => property('Identifier')),
};

const text = z.string();
const texts = z.array(text);
const count = z.coerce.number().int();
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);
const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
const unit = z.enum(['seconds', 'minutes', 'hours', 'days']);
/** The schema of an object of the template, with what the local cloud emulates. Every other name is an error. */
const object = <Shape extends z.ZodRawShape>(shape: Shape) => objectBut('', shape);

/** As `object`, with more names, separated by spaces, of what has no effect here, such as cost and encryption. */
const objectBut = <Shape extends z.ZodRawShape>(withoutEffect: string, shape: Shape) => {
  const ignored = withoutEffect.split(/\s+/);
  const known = (value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => !ignored.includes(name))) : value;
  return z.preprocess(known, z.strictObject(shape));
};

const behavior = {
  TargetOriginId: text,
  AllowedMethods: texts.default(['GET', 'HEAD']),
  OriginRequestPolicyId: text.optional(),
  ResponseHeadersPolicyId: text.optional(),
  FunctionAssociations: z
    .array(object({ EventType: z.literal('viewer-request'), FunctionARN: text }))
    .max(1)
    .default([]),
};
// Nothing is cached or compressed here, and the edge of one machine has no certificate to redirect to.
const BEHAVIOR_WITHOUT_EFFECT = 'CachePolicyId Compress ViewerProtocolPolicy';
const override = { Override: flag };

/** The properties of the types that the local cloud runs. */
export const EMULATED = {
  'AWS::DynamoDB::Table': objectBut('PointInTimeRecoverySpecification SSESpecification DeletionProtectionEnabled', {
    AttributeDefinitions: z.array(object({ AttributeName: text, AttributeType: z.enum(['S', 'N', 'B']) })),
    KeySchema: z.array(object({ AttributeName: text, KeyType: z.enum(['HASH', 'RANGE']) })),
    BillingMode: z.literal('PAY_PER_REQUEST'),
    TimeToLiveSpecification: object({ AttributeName: text, Enabled: flag }).optional(),
  }),
  // Messages stay until they are deleted.
  'AWS::SQS::Queue': objectBut('SqsManagedSseEnabled MessageRetentionPeriod', {
    VisibilityTimeout: count.default(30),
    RedrivePolicy: object({ deadLetterTargetArn: text, maxReceiveCount: count }).optional(),
  }),
  'AWS::SQS::QueuePolicy': object({ PolicyDocument: policyDocument, Queues: texts }),
  'AWS::SecretsManager::Secret': objectBut('Description', {
    GenerateSecretString: object({
      SecretStringTemplate: text.optional(),
      GenerateStringKey: text.optional(),
      PasswordLength: count,
      ExcludePunctuation: z.literal(true),
    }),
  }),
  'AWS::Events::EventBus': objectBut('Description', { Name: text }),
  'AWS::Events::Rule': objectBut('Description', {
    State: z.literal('ENABLED'),
    EventBusName: text.default('default'),
    /** An event matches when one of these does: the text itself, or each text but these. */
    EventPattern: object({
      'detail-type': z.array(z.union([text, object({ 'anything-but': texts.min(1) })])).min(1),
    }).optional(),
    ScheduleExpression: text.optional(),
    Targets: z.array(
      object({
        Id: text,
        Arn: text,
        SqsParameters: object({ MessageGroupId: text }).optional(),
        DeadLetterConfig: object({ Arn: text }).optional(),
        InputTransformer: object({
          /** Only of texts that every event has. */
          InputPathsMap: z.record(
            text,
            z.templateLiteral(['$.', z.enum(['id', 'detail-type', 'source', 'account', 'time', 'region'])]),
          ),
          InputTemplate: text,
        }).optional(),
      }),
    ),
  }),
  'AWS::IAM::Role': object({ AssumeRolePolicyDocument: trustDocument }),
  'AWS::IAM::Policy': objectBut('PolicyName', { PolicyDocument: policyDocument, Roles: texts }),
  // The local cloud does not look for recursive loops.
  'AWS::Lambda::Function': objectBut('Description Architectures RecursiveLoop Tags', {
    Code: objectBut('S3Bucket', { S3Key: text }),
    Handler: text,
    Runtime: text.startsWith('nodejs'),
    Role: text,
    Timeout: count,
    MemorySize: count,
    Environment: object({ Variables: z.record(text, z.coerce.string()).default({}) }).default({ Variables: {} }),
    LoggingConfig: object({ LogFormat: text.default('Text'), LogGroup: text }),
  }),
  'AWS::Lambda::Permission': object({
    Action: text,
    FunctionName: text,
    /** A service of AWS. The stack gives no other principal a permission. */
    Principal: text.endsWith('.amazonaws.com'),
    SourceArn: text,
  }),
  'AWS::Lambda::EventSourceMapping': object({
    BatchSize: count.min(1).max(10),
    EventSourceArn: text,
    FunctionName: text,
    FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
    ScalingConfig: object({ MaximumConcurrency: count.min(2).max(1000) }),
  }),
  'AWS::ApiGatewayV2::Api': objectBut('Name Description', { ProtocolType: z.literal('HTTP') }),
  'AWS::ApiGatewayV2::Integration': object({
    ApiId: text,
    IntegrationType: z.literal('AWS_PROXY'),
    IntegrationUri: text,
    PayloadFormatVersion: z.literal('2.0'),
  }),
  'AWS::ApiGatewayV2::Route': object({
    ApiId: text,
    AuthorizationType: z.enum(['NONE', 'JWT']).default('NONE'),
    AuthorizerId: text.optional(),
    AuthorizationScopes: texts.default([]),
    RouteKey: text,
    Target: text,
  }),
  // Throttling protects against load from outside, which cannot reach a loopback address. The access log is the service provider's.
  'AWS::ApiGatewayV2::Stage': objectBut('ApiId AutoDeploy DefaultRouteSettings RouteSettings AccessLogSettings', {
    StageName: z.literal('$default'),
  }),
  'AWS::ApiGatewayV2::Authorizer': objectBut('Name', {
    ApiId: text,
    AuthorizerType: z.literal('JWT'),
    IdentitySource: z.tuple([z.literal('$request.header.Authorization')]),
    JwtConfiguration: object({ Audience: texts, Issuer: text }),
  }),
  'Custom::CDKBucketDeployment': objectBut(
    `ServiceToken SourceBucketNames Prune WaitForDistributionInvalidation DistributionId DistributionPaths
    OutputObjectKeys`,
    {
      SourceObjectKeys: texts,
      SourceMarkers: z.array(z.record(text, text)).default([]),
      SourceMarkersConfig: z.array(object({ jsonEscape: flag.default(false) })).default([]),
      DestinationBucketName: text,
      DestinationBucketKeyPrefix: text.default(''),
      /** Each becomes the header of this name. */
      SystemMetadata: z.partialRecord(z.enum(['cache-control', 'content-type']), text).default({}),
    },
  ),
  'AWS::CloudFront::Distribution': object({
    DistributionConfig: objectBut('Comment CustomErrorResponses HttpVersion IPV6Enabled Logging', {
      CacheBehaviors: z
        .array(objectBut(BEHAVIOR_WITHOUT_EFFECT, { ...behavior, PathPattern: text.startsWith('/') }))
        .default([]),
      DefaultCacheBehavior: objectBut(BEHAVIOR_WITHOUT_EFFECT, behavior),
      Origins: z.array(
        objectBut(
          // Between parts of one machine, timeouts and TLS versions do not matter.
          'CustomOriginConfig S3OriginConfig OriginAccessControlId',
          {
            Id: text,
            DomainName: text,
            OriginCustomHeaders: z.array(object({ HeaderName: text, HeaderValue: text })).default([]),
          },
        ),
      ),
      Enabled: z.literal(true),
      DefaultRootObject: text.default(''),
    }),
  }),
  'AWS::CloudFront::OriginRequestPolicy': object({
    OriginRequestPolicyConfig: objectBut('Name', {
      HeadersConfig: object({ HeaderBehavior: z.enum(['whitelist', 'allExcept']), Headers: texts }),
      QueryStringsConfig: object({ QueryStringBehavior: z.enum(['whitelist', 'all']), QueryStrings: texts.optional() }),
      CookiesConfig: object({ CookieBehavior: z.enum(['none', 'all']) }),
    }),
  }),
  'AWS::CloudFront::ResponseHeadersPolicy': object({
    ResponseHeadersPolicyConfig: objectBut('Name', {
      // Methods and headers count for preflights, which the bucket answers with the same ones.
      CorsConfig: objectBut('AccessControlAllowHeaders AccessControlAllowMethods', {
        AccessControlAllowCredentials: z.literal(false),
        AccessControlAllowOrigins: object({ Items: z.tuple([z.literal('*')]) }),
        OriginOverride: z.literal(true),
      }).optional(),
      CustomHeadersConfig: object({ Items: z.array(object({ Header: text, Value: text, ...override })) }),
      SecurityHeadersConfig: object({
        ContentSecurityPolicy: object({ ContentSecurityPolicy: text, ...override }).optional(),
        ContentTypeOptions: object(override),
        FrameOptions: object({ FrameOption: text, ...override }),
        ReferrerPolicy: object({ ReferrerPolicy: text, ...override }),
        StrictTransportSecurity: object({
          AccessControlMaxAgeSec: count,
          IncludeSubdomains: z.literal(false),
          ...override,
        }),
      }),
    }),
  }),
  'AWS::CloudFront::Function': objectBut('Name', {
    AutoPublish: z.literal(true),
    FunctionCode: text,
    FunctionConfig: objectBut('Comment', { Runtime: z.literal('cloudfront-js-2.0') }),
  }),
  // Passwords, invitations and recovery are Cognito's own affairs; this machine's users have a password and nothing else.
  'AWS::Cognito::UserPool': objectBut(
    `UserPoolName AccountRecoverySetting AutoVerifiedAttributes DeletionProtection EmailVerificationMessage EmailVerificationSubject
    EnabledMfas MfaConfiguration Policies Schema SmsVerificationMessage UserAttributeUpdateSettings UserPoolTags UserPoolTier UserPoolAddOns
    VerificationMessageTemplate`,
    {
      AdminCreateUserConfig: objectBut('InviteMessageTemplate', { AllowAdminCreateUserOnly: z.literal(true) }),
      UsernameAttributes: z.tuple([z.literal('email')]).optional(),
      AliasAttributes: z.array(z.enum(['email', 'preferred_username'])).optional(),
      UsernameConfiguration: object({ CaseSensitive: flag }).optional(),
    },
  ),
  'AWS::Cognito::UserPoolClient': objectBut(
    `ClientName ExplicitAuthFlows PreventUserExistenceErrors EnableTokenRevocation RefreshTokenRotation WriteAttributes
    IdTokenValidity`,
    {
      UserPoolId: text,
      AllowedOAuthFlows: z.tuple([z.literal('code')]),
      AllowedOAuthFlowsUserPoolClient: z.literal(true),
      AllowedOAuthScopes: texts,
      CallbackURLs: texts,
      LogoutURLs: texts,
      // A public client: who can read a page can read its secret.
      GenerateSecret: z.literal(false),
      SupportedIdentityProviders: z.tuple([z.literal('COGNITO')]),
      AccessTokenValidity: count,
      RefreshTokenValidity: count,
      TokenValidityUnits: objectBut('IdToken', { AccessToken: unit, RefreshToken: unit }),
    },
  ).transform(({ TokenValidityUnits: units, ...client }) => ({
    ...client,
    accessTokenSeconds: client.AccessTokenValidity * seconds[units.AccessToken],
    refreshTokenSeconds: client.RefreshTokenValidity * seconds[units.RefreshToken],
  })),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** Types without an effect in the local cloud, with the reasons. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  // Functions print their metrics into their logs. The local cloud does not display metrics.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Logs::QueryDefinition',
  // Function logs are files here; who may write them is decided by the role (function-log.ts).
  'AWS::Logs::LogGroup',
  // The AWS command line for the function behind BucketDeployment, whose work the local cloud does.
  'AWS::Lambda::LayerVersion',
  // Objects come from the deployment assets, and only the edge reads them. A bucket answers each preflight that the distribution forwards to it.
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::CloudFront::OriginAccessControl',
  // The emulated login has its own address and appearance, and the scopes of its client.
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolResourceServer',
  'AWS::Cognito::ManagedLoginBranding',
]);

export function identifierOf(type: string): ((naming: Naming) => ResourceIdentity) | undefined {
  const isKnown = Object.hasOwn(EMULATED, type) || WITHOUT_EFFECT.has(type);
  return isKnown ? (IDENTITIES[type] ?? byLogicalId) : undefined;
}
