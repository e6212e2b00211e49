import * as z from 'zod';
import { policyDocument, trustDocument } from '../access/policy-document.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { isObject } from '../json.ts';
import type { Identity } from './intrinsics.ts';

/** Where the listeners of this run are, `host:port`. */
export type Addresses = {
  readonly edge: string;
  readonly api: string;
  readonly gateway: string;
  readonly login: string;
};

/** What names are made of. */
type Naming = {
  readonly logicalId: string;
  readonly addresses: Addresses;
  /** A name of the template's choice, else one made of the stack and the logical id, at most so many characters. */
  name(property: string, limit?: number): string;
  /** The resolved text of a property. */
  property(name: string, missing?: string): string;
  /** Letters and digits that are the same in every run. */
  hash(length: number): string;
};

/** Gives a resource its name, address and attributes. */
export type Identify = (naming: Naming) => Identity;

export const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const globalArn = (service: string, rest: string): string => `arn:aws:${service}::${ACCOUNT}:${rest}`;

const byLogicalId: Identify = ({ logicalId }) => ({ ref: logicalId, attributes: { Id: logicalId } });
const byProperty =
  (name: string): Identify =>
  ({ property }) => ({ ref: property(name), attributes: {} });
const named =
  (property: string, arnOf: (name: string) => string, limit?: number): Identify =>
  ({ name }) => {
    const ref = name(property, limit);
    return { ref, attributes: { Arn: arnOf(ref) } };
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

/** Texts that every event has. */
const eventField = z.enum(['id', 'detail-type', 'source', 'account', 'time', 'region']);

const target = object({
  Id: text,
  Arn: text,
  SqsParameters: object({ MessageGroupId: text }).optional(),
  DeadLetterConfig: object({ Arn: text }).optional(),
  InputTransformer: object({
    InputPathsMap: z.record(text, z.templateLiteral(['$.', eventField])),
    InputTemplate: text,
  }).optional(),
});

const origin = object(
  {
    Id: text,
    DomainName: text,
    OriginCustomHeaders: z.array(object({ HeaderName: text, HeaderValue: text })).default([]),
  },
  // One machine speaks plain HTTP between its own listeners; timeouts and TLS versions do not matter there.
  'CustomOriginConfig S3OriginConfig OriginAccessControlId',
);

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

/** Each becomes the header of this name. */
const objectMetadata = z.enum([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
]);

const override = { Override: flag };

/** The types that the local cloud runs: their names, and the properties that it knows. */
export const EMULATED = {
  'AWS::DynamoDB::Table': {
    identify: named('TableName', (name) => arn('dynamodb', `table/${name}`)),
    properties: object(
      {
        AttributeDefinitions: z.array(object({ AttributeName: text, AttributeType: z.enum(['S', 'N', 'B']) })),
        KeySchema: z.array(object({ AttributeName: text, KeyType: z.enum(['HASH', 'RANGE']) })),
        BillingMode: z.literal('PAY_PER_REQUEST'),
        TimeToLiveSpecification: object({ AttributeName: text, Enabled: flag }).optional(),
      },
      'PointInTimeRecoverySpecification SSESpecification DeletionProtectionEnabled',
    ),
  },
  'AWS::SQS::Queue': {
    identify: ({ name, addresses }) => {
      const queue = name('QueueName', 80);
      const ref = `http://${addresses.gateway}/${ACCOUNT}/${queue}`;
      return { ref, attributes: { Arn: arn('sqs', queue), QueueName: queue } };
    },
    properties: object(
      {
        VisibilityTimeout: count.default(30),
        MessageRetentionPeriod: count.default(345_600),
        RedrivePolicy: object({ deadLetterTargetArn: text, maxReceiveCount: count }).optional(),
      },
      'SqsManagedSseEnabled',
    ),
  },
  'AWS::SQS::QueuePolicy': {
    identify: byLogicalId,
    properties: object({ PolicyDocument: policyDocument, Queues: texts }),
  },
  'AWS::SecretsManager::Secret': {
    identify: ({ name, hash }) => ({ ref: arn('secretsmanager', `secret:${name('Name')}-${hash(6)}`), attributes: {} }),
    properties: object(
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
  },
  'AWS::Events::EventBus': {
    identify: named('Name', (name) => arn('events', `event-bus/${name}`)),
    properties: object({ Name: text }, 'Description'),
  },
  'AWS::Events::Rule': {
    identify: ({ name, property }) => {
      const bus = property('EventBusName', 'default');
      const rule = name('Name', 64);
      const path = bus === 'default' ? rule : `${bus}/${rule}`;
      return { ref: `${bus}|${rule}`, attributes: { Arn: arn('events', `rule/${path}`) } };
    },
    properties: object(
      {
        State: z.literal('ENABLED'),
        EventBusName: text.default('default'),
        /** An event matches when one of these does: the text itself, or each text but these. */
        EventPattern: object({ 'detail-type': z.array(z.union([text, object({ 'anything-but': texts })])) }).optional(),
        ScheduleExpression: text.optional(),
        Targets: z.array(target),
      },
      'Description',
    ),
  },
  'AWS::IAM::Role': {
    identify: named('RoleName', (name) => globalArn('iam', `role/${name}`), 64),
    properties: object({ AssumeRolePolicyDocument: trustDocument }),
  },
  'AWS::IAM::Policy': {
    identify: byLogicalId,
    properties: object({ PolicyDocument: policyDocument, Roles: texts }, 'PolicyName'),
  },
  'AWS::Lambda::Function': {
    identify: named('FunctionName', (name) => arn('lambda', `function:${name}`), 64),
    properties: object(
      {
        Handler: text,
        Runtime: text.startsWith('nodejs'),
        Role: text,
        Timeout: count,
        MemorySize: count,
        Environment: object({ Variables: z.record(text, z.coerce.string()).default({}) }).default({ Variables: {} }),
        LoggingConfig: object({ LogFormat: text.default('Text'), LogGroup: text }),
      },
      // The code is found by the asset's metadata. The local cloud does not look for recursive loops.
      'Code Description Architectures RecursiveLoop Tags',
    ),
  },
  'AWS::Lambda::Permission': {
    identify: byLogicalId,
    properties: object({
      Action: text,
      FunctionName: text,
      /** A service of AWS. The stack gives no other principal a permission. */
      Principal: text.endsWith('.amazonaws.com'),
      SourceArn: text,
    }),
  },
  'AWS::Lambda::EventSourceMapping': {
    identify: byLogicalId,
    properties: object({
      BatchSize: count.min(1).max(10),
      EventSourceArn: text,
      FunctionName: text,
      FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
      ScalingConfig: object({ MaximumConcurrency: count.min(2).max(1000) }),
    }),
  },
  'AWS::ApiGatewayV2::Api': {
    identify: ({ hash, addresses }) => ({
      ref: hash(10),
      attributes: { ApiEndpoint: `http://${addresses.api}` },
    }),
    properties: object({ ProtocolType: z.literal('HTTP') }, 'Name Description'),
  },
  'AWS::ApiGatewayV2::Integration': {
    identify: byLogicalId,
    properties: object({
      ApiId: text,
      IntegrationType: z.literal('AWS_PROXY'),
      IntegrationUri: text,
      PayloadFormatVersion: z.literal('2.0'),
    }),
  },
  'AWS::ApiGatewayV2::Route': {
    identify: byLogicalId,
    properties: object({
      ApiId: text,
      AuthorizationType: z.enum(['NONE', 'JWT']).default('NONE'),
      AuthorizerId: text.optional(),
      AuthorizationScopes: texts.default([]),
      RouteKey: text,
      Target: text,
    }),
  },
  'AWS::ApiGatewayV2::Stage': {
    identify: byProperty('StageName'),
    properties: object(
      { StageName: z.literal('$default') },
      // Throttling protects against load from outside, which cannot reach a loopback address. The access log is the service provider's.
      'ApiId AutoDeploy DefaultRouteSettings RouteSettings AccessLogSettings',
    ),
  },
  'AWS::ApiGatewayV2::Authorizer': {
    identify: byLogicalId,
    properties: object(
      {
        ApiId: text,
        AuthorizerType: z.literal('JWT'),
        IdentitySource: z.tuple([z.literal('$request.header.Authorization')]),
        JwtConfiguration: object({ Audience: texts, Issuer: text }),
      },
      'Name',
    ),
  },
  'Custom::CDKBucketDeployment': {
    identify: byLogicalId,
    properties: object(
      {
        SourceObjectKeys: texts,
        SourceMarkers: z.array(z.record(text, text)).default([]),
        SourceMarkersConfig: z.array(object({ jsonEscape: flag.default(false) })).default([]),
        DestinationBucketName: text,
        DestinationBucketKeyPrefix: text.default(''),
        SystemMetadata: z.partialRecord(objectMetadata, text).default({}),
      },
      `ServiceToken SourceBucketNames Prune WaitForDistributionInvalidation DistributionId DistributionPaths
      OutputObjectKeys`,
    ),
  },
  'AWS::CloudFront::Distribution': {
    identify: ({ hash, addresses }) => ({
      ref: `E${hash(13).toUpperCase()}`,
      attributes: { DomainName: addresses.edge },
    }),
    properties: object({
      DistributionConfig: object(
        {
          CacheBehaviors: z
            .array(object({ ...behavior, PathPattern: text.startsWith('/') }, BEHAVIOR_WITHOUT_EFFECT))
            .default([]),
          DefaultCacheBehavior: object(behavior, BEHAVIOR_WITHOUT_EFFECT),
          Origins: z.array(origin),
          Enabled: z.literal(true),
        },
        'Comment HttpVersion IPV6Enabled Logging',
      ),
    }),
  },
  'AWS::CloudFront::OriginRequestPolicy': {
    identify: byLogicalId,
    properties: object({
      OriginRequestPolicyConfig: object(
        {
          HeadersConfig: object({ HeaderBehavior: z.literal('whitelist'), Headers: texts }),
          QueryStringsConfig: object({ QueryStringBehavior: z.literal('whitelist'), QueryStrings: texts }),
          CookiesConfig: object({ CookieBehavior: z.literal('none') }),
        },
        'Name',
      ),
    }),
  },
  'AWS::CloudFront::ResponseHeadersPolicy': {
    identify: byLogicalId,
    properties: object({
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
  },
  'AWS::CloudFront::Function': {
    identify: ({ name }) => {
      const ref = globalArn('cloudfront', `function/${name('Name', 64)}`);
      return { ref, attributes: { FunctionARN: ref } };
    },
    properties: object(
      {
        AutoPublish: z.literal(true),
        FunctionCode: text,
        FunctionConfig: object({ Runtime: z.literal('cloudfront-js-2.0') }, 'Comment'),
      },
      'Name',
    ),
  },
  'AWS::Cognito::UserPool': {
    identify: ({ hash, addresses }) => {
      const ref = `${REGION}_${hash(9)}`;
      const attributes = { Arn: arn('cognito-idp', `userpool/${ref}`), ProviderURL: `http://${addresses.login}` };
      return { ref, attributes };
    },
    properties: object(
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
  },
  'AWS::Cognito::UserPoolClient': {
    identify: ({ hash }) => ({ ref: hash(26), attributes: {} }),
    properties: object(
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
  },
} as const satisfies Readonly<Record<string, { readonly identify: Identify; readonly properties: z.ZodType }>>;

/** Types without an effect in the local cloud, with the reasons. The names are there for the resources that use them. */
export const WITHOUT_EFFECT: Readonly<Record<string, Identify>> = {
  // Calls that are made while a stack is deployed.
  'Custom::AWS': byLogicalId,
  // Functions print their metrics into their logs. The local cloud does not display metrics.
  'AWS::CloudWatch::Alarm': byLogicalId,
  'AWS::CloudWatch::Dashboard': byLogicalId,
  'AWS::Logs::QueryDefinition': byLogicalId,
  // Counts CDK constructs in AWS's own statistics.
  'AWS::CDK::Metadata': byLogicalId,
  // Function logs are files here; who may write them is decided by the role (function-log.ts).
  'AWS::Logs::LogGroup': named('LogGroupName', (name) => arn('logs', `log-group:${name}:*`)),
  // The AWS command line for the function behind BucketDeployment, whose work the local cloud does.
  'AWS::Lambda::LayerVersion': byLogicalId,
  // Objects come from the deployment assets, and only the edge reads them.
  'AWS::S3::Bucket': ({ name }) => {
    const ref = name('BucketName', 63).toLowerCase();
    const attributes = { Arn: `arn:aws:s3:::${ref}`, RegionalDomainName: `${ref}.s3.${REGION}.amazonaws.com` };
    return { ref, attributes };
  },
  'AWS::S3::BucketPolicy': byLogicalId,
  'AWS::CloudFront::OriginAccessControl': byLogicalId,
  // The emulated login has its own address and appearance, and the scopes of its client.
  'AWS::Cognito::UserPoolDomain': byProperty('Domain'),
  'AWS::Cognito::UserPoolResourceServer': byProperty('Identifier'),
  'AWS::Cognito::ManagedLoginBranding': byLogicalId,
};
