import * as z from 'zod';
import { policyDocument, trustDocument } from '../access/policies.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { isObject } from '../json.ts';

/** Where the listeners of this run are, `host:port`. */
export type Addresses = {
  readonly edge: string;
  readonly api: string;
  readonly gateway: string;
  readonly login: string;
};

/** What `Ref` and `Fn::GetAtt` give. */
export type Identity = { readonly ref: string; readonly attributes: Readonly<Record<string, string>> };

/** What the identity of a resource is made of. */
export type Naming = {
  readonly logicalId: string;
  readonly addresses: Addresses;
  /** The name that the template gives the resource, else one made of the stack and the logical id. */
  name(): string;
  /** The resolved text of a property. */
  property(name: string, missing?: string): string;
  /** Letters and digits that are the same in every run. */
  hash(length: number): string;
};

export const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const globalArn = (service: string, rest: string): string => `arn:aws:${service}::${ACCOUNT}:${rest}`;

const byLogicalId = ({ logicalId }: Naming): Identity => ({ ref: logicalId, attributes: { Id: logicalId } });
const byName =
  (arnOf: (name: string) => string) =>
  ({ name }: Naming): Identity => ({ ref: name(), attributes: { Arn: arnOf(name()) } });
const byText =
  (textOf: (naming: Naming) => string) =>
  (naming: Naming): Identity => ({ ref: textOf(naming), attributes: {} });

/** The identities of the types that have more than a logical id. */
const IDENTITIES: Readonly<Record<string, (naming: Naming) => Identity>> = {
  'AWS::DynamoDB::Table': byName((name) => arn('dynamodb', `table/${name}`)),
  'AWS::SQS::Queue': ({ name, addresses }) => ({
    ref: `http://${addresses.gateway}/${ACCOUNT}/${name()}`,
    attributes: { Arn: arn('sqs', name()), QueueName: name() },
  }),
  'AWS::SecretsManager::Secret': byText(({ name, hash }) => arn('secretsmanager', `secret:${name()}-${hash(6)}`)),
  'AWS::Events::EventBus': byName((name) => arn('events', `event-bus/${name}`)),
  'AWS::Events::Rule': ({ name, property }) => {
    const bus = property('EventBusName', 'default');
    const path = bus === 'default' ? name() : `${bus}/${name()}`;
    return { ref: `${bus}|${name()}`, attributes: { Arn: arn('events', `rule/${path}`) } };
  },
  'AWS::IAM::Role': byName((name) => globalArn('iam', `role/${name}`)),
  'AWS::Lambda::Function': byName((name) => arn('lambda', `function:${name}`)),
  'AWS::Logs::LogGroup': byName((name) => arn('logs', `log-group:${name}:*`)),
  'AWS::ApiGatewayV2::Api': ({ hash, addresses }) => ({
    ref: hash(10),
    attributes: { ApiEndpoint: `http://${addresses.api}` },
  }),
  'AWS::ApiGatewayV2::Stage': byText(({ property }) => property('StageName')),
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
    const attributes = { Arn: arn('cognito-idp', `userpool/${ref}`), ProviderName: addresses.login };
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

/**
 * The schema of an object of the template.
 * @param shape what the local cloud emulates
 * @param withoutEffect names, separated by spaces, of what has no effect on one machine, such as cost, encryption at rest, descriptions
 * and recovery. Every other name is an error
 */
const object = <Shape extends z.ZodRawShape>(shape: Shape, withoutEffect = '') => {
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
  'AWS::DynamoDB::Table': object(
    {
      AttributeDefinitions: z.array(object({ AttributeName: text, AttributeType: z.enum(['S', 'N', 'B']) })),
      KeySchema: z.array(object({ AttributeName: text, KeyType: z.enum(['HASH', 'RANGE']) })),
      BillingMode: z.literal('PAY_PER_REQUEST'),
      TimeToLiveSpecification: object({ AttributeName: text, Enabled: flag }).optional(),
    },
    'PointInTimeRecoverySpecification SSESpecification DeletionProtectionEnabled',
  ),
  'AWS::SQS::Queue': object(
    {
      VisibilityTimeout: count.default(30),
      RedrivePolicy: object({ deadLetterTargetArn: text, maxReceiveCount: count }).optional(),
    },
    // Messages stay until they are deleted.
    'SqsManagedSseEnabled MessageRetentionPeriod',
  ),
  'AWS::SQS::QueuePolicy': object({ PolicyDocument: policyDocument, Queues: texts }),
  'AWS::SecretsManager::Secret': object(
    {
      GenerateSecretString: object({
        SecretStringTemplate: text.optional(),
        GenerateStringKey: text.optional(),
        PasswordLength: count,
        ExcludePunctuation: z.literal(true),
      }),
    },
    'Description',
  ),
  'AWS::Events::EventBus': object({ Name: text }, 'Description'),
  'AWS::Events::Rule': object(
    {
      State: z.literal('ENABLED'),
      EventBusName: text.default('default'),
      /** An event matches when one of these does: the text itself, or each text but these. */
      EventPattern: object({ 'detail-type': z.array(z.union([text, object({ 'anything-but': texts })])) }).optional(),
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
    },
    'Description',
  ),
  'AWS::IAM::Role': object({ AssumeRolePolicyDocument: trustDocument }),
  'AWS::IAM::Policy': object({ PolicyDocument: policyDocument, Roles: texts }, 'PolicyName'),
  'AWS::Lambda::Function': object(
    {
      Code: object({ S3Key: text }, 'S3Bucket'),
      Handler: text,
      Runtime: text.startsWith('nodejs'),
      Role: text,
      Timeout: count,
      MemorySize: count,
      Environment: object({ Variables: z.record(text, z.coerce.string()).default({}) }).default({ Variables: {} }),
      LoggingConfig: object({ LogFormat: text.default('Text'), LogGroup: text }),
    },
    // The local cloud does not look for recursive loops.
    'Description Architectures RecursiveLoop Tags',
  ),
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
  'AWS::ApiGatewayV2::Api': object({ ProtocolType: z.literal('HTTP') }, 'Name Description'),
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
  'AWS::ApiGatewayV2::Stage': object(
    { StageName: z.literal('$default') },
    // Throttling protects against load from outside, which cannot reach a loopback address. The access log is the service provider's.
    'ApiId AutoDeploy DefaultRouteSettings RouteSettings AccessLogSettings',
  ),
  'AWS::ApiGatewayV2::Authorizer': object(
    {
      ApiId: text,
      AuthorizerType: z.literal('JWT'),
      IdentitySource: z.tuple([z.literal('$request.header.Authorization')]),
      JwtConfiguration: object({ Audience: texts, Issuer: text }),
    },
    'Name',
  ),
  'Custom::CDKBucketDeployment': object(
    {
      SourceObjectKeys: texts,
      SourceMarkers: z.array(z.record(text, text)).default([]),
      SourceMarkersConfig: z.array(object({ jsonEscape: flag.default(false) })).default([]),
      DestinationBucketName: text,
      DestinationBucketKeyPrefix: text.default(''),
      /** Each becomes the header of this name. */
      SystemMetadata: z.partialRecord(z.enum(['cache-control', 'content-type']), text).default({}),
    },
    `ServiceToken SourceBucketNames Prune WaitForDistributionInvalidation DistributionId DistributionPaths
    OutputObjectKeys`,
  ),
  'AWS::CloudFront::Distribution': object({
    DistributionConfig: object(
      {
        CacheBehaviors: z
          .array(object({ ...behavior, PathPattern: text.startsWith('/') }, BEHAVIOR_WITHOUT_EFFECT))
          .default([]),
        DefaultCacheBehavior: object(behavior, BEHAVIOR_WITHOUT_EFFECT),
        Origins: z.array(
          object(
            {
              Id: text,
              DomainName: text,
              OriginCustomHeaders: z.array(object({ HeaderName: text, HeaderValue: text })).default([]),
            },
            // Between parts of one machine, timeouts and TLS versions do not matter.
            'CustomOriginConfig S3OriginConfig OriginAccessControlId',
          ),
        ),
        Enabled: z.literal(true),
      },
      'Comment HttpVersion IPV6Enabled Logging',
    ),
  }),
  'AWS::CloudFront::OriginRequestPolicy': object({
    OriginRequestPolicyConfig: object(
      {
        HeadersConfig: object({ HeaderBehavior: z.literal('whitelist'), Headers: texts }),
        QueryStringsConfig: object({ QueryStringBehavior: z.literal('whitelist'), QueryStrings: texts }),
        CookiesConfig: object({ CookieBehavior: z.literal('none') }),
      },
      'Name',
    ),
  }),
  'AWS::CloudFront::ResponseHeadersPolicy': object({
    ResponseHeadersPolicyConfig: object(
      {
        CustomHeadersConfig: object({ Items: z.array(object({ Header: text, Value: text, ...override })) }),
        SecurityHeadersConfig: object({
          ContentSecurityPolicy: object({ ContentSecurityPolicy: text, ...override }),
          ContentTypeOptions: object(override),
          FrameOptions: object({ FrameOption: text, ...override }),
          ReferrerPolicy: object({ ReferrerPolicy: text, ...override }),
          StrictTransportSecurity: object({
            AccessControlMaxAgeSec: count,
            IncludeSubdomains: z.literal(false),
            ...override,
          }),
        }),
      },
      'Name',
    ),
  }),
  'AWS::CloudFront::Function': object(
    {
      AutoPublish: z.literal(true),
      FunctionCode: text,
      FunctionConfig: object({ Runtime: z.literal('cloudfront-js-2.0') }, 'Comment'),
    },
    'Name',
  ),
  'AWS::Cognito::UserPool': object(
    {
      AdminCreateUserConfig: object({ AllowAdminCreateUserOnly: z.literal(true) }, 'InviteMessageTemplate'),
      MfaConfiguration: z.enum(['OFF', 'OPTIONAL']).optional(),
      UsernameAttributes: z.tuple([z.literal('email')]),
      UsernameConfiguration: object({ CaseSensitive: z.literal(false) }),
    },
    // Passwords, invitations and recovery are Cognito's own affairs; this machine's users have a password and nothing else.
    `UserPoolName AccountRecoverySetting AutoVerifiedAttributes DeletionProtection EmailVerificationMessage EmailVerificationSubject
    EnabledMfas Policies Schema SmsVerificationMessage UserAttributeUpdateSettings UserPoolTags UserPoolTier UserPoolAddOns
    VerificationMessageTemplate`,
  ),
  'AWS::Cognito::UserPoolClient': object(
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
      TokenValidityUnits: object({ AccessToken: unit, RefreshToken: unit }, 'IdToken'),
    },
    `ClientName ExplicitAuthFlows PreventUserExistenceErrors EnableTokenRevocation RefreshTokenRotation WriteAttributes
    IdTokenValidity`,
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
  // Objects come from the deployment assets, and only the edge reads them.
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::CloudFront::OriginAccessControl',
  // The emulated login has its own address and appearance, and the scopes of its client.
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolResourceServer',
  'AWS::Cognito::ManagedLoginBranding',
]);

/** Returns what gives a resource of a type its identity; undefined for a type that the local cloud does not know. */
export function identifierOf(type: string): ((naming: Naming) => Identity) | undefined {
  const isKnown = Object.hasOwn(EMULATED, type) || WITHOUT_EFFECT.has(type);
  return isKnown ? (IDENTITIES[type] ?? byLogicalId) : undefined;
}
