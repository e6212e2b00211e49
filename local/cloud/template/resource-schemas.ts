import * as z from 'zod';
import { policyDocument, trustDocument } from '../access/policy-document.ts';

/** A property without an effect in the local cloud: cost, encryption at rest, descriptions, recovery. */
const noEffect = z.unknown().optional();
const text = z.string();
const count = z.coerce.number().int();
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);

export const table = z.strictObject({
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: text, AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: z.array(z.strictObject({ AttributeName: text, KeyType: z.enum(['HASH', 'RANGE']) })),
  BillingMode: z.literal('PAY_PER_REQUEST'),
  TimeToLiveSpecification: z.strictObject({ AttributeName: text, Enabled: flag }).optional(),
  PointInTimeRecoverySpecification: noEffect,
  SSESpecification: noEffect,
  DeletionProtectionEnabled: noEffect,
});

export const queue = z.strictObject({
  VisibilityTimeout: count.default(30),
  MessageRetentionPeriod: count.default(345_600),
  RedrivePolicy: z.strictObject({ deadLetterTargetArn: text, maxReceiveCount: count }).optional(),
  SqsManagedSseEnabled: noEffect,
});

export const queuePolicy = z.strictObject({ PolicyDocument: policyDocument, Queues: z.array(text) });

export const secret = z.strictObject({
  Description: noEffect,
  GenerateSecretString: z.strictObject({
    SecretStringTemplate: text.optional(),
    GenerateStringKey: text.optional(),
    PasswordLength: count,
    ExcludePunctuation: z.literal(true),
  }),
});

export const eventBus = z.strictObject({ Name: text, Description: noEffect });

/** Texts that every event has. */
const eventField = z.enum(['id', 'detail-type', 'source', 'account', 'time', 'region']);

export const rule = z.strictObject({
  Description: noEffect,
  State: z.literal('ENABLED'),
  EventBusName: text.default('default'),
  /** An event matches when one of these does: the text itself, or each text but these. */
  EventPattern: z
    .strictObject({ 'detail-type': z.array(z.union([text, z.strictObject({ 'anything-but': z.array(text) })])) })
    .optional(),
  ScheduleExpression: text.optional(),
  Targets: z.array(
    z.strictObject({
      Id: text,
      Arn: text,
      SqsParameters: z.strictObject({ MessageGroupId: text }).optional(),
      DeadLetterConfig: z.strictObject({ Arn: text }).optional(),
      InputTransformer: z
        .strictObject({ InputPathsMap: z.record(text, z.templateLiteral(['$.', eventField])), InputTemplate: text })
        .optional(),
    }),
  ),
});

export const role = z.strictObject({
  AssumeRolePolicyDocument: trustDocument,
});

export const policy = z.strictObject({ PolicyName: text, PolicyDocument: policyDocument, Roles: z.array(text) });

export const lambdaFunction = z.strictObject({
  Description: noEffect,
  Architectures: noEffect,
  Code: z.strictObject({ S3Bucket: text, S3Key: text }),
  Handler: text,
  Runtime: text,
  Role: text,
  Timeout: count,
  MemorySize: count,
  Environment: z
    .strictObject({ Variables: z.record(z.string(), z.coerce.string()).default({}) })
    .default({ Variables: {} }),
  LoggingConfig: z.strictObject({ LogFormat: text.default('Text'), LogGroup: text }),
  // The local cloud does not look for recursive loops.
  RecursiveLoop: noEffect,
});

export const permission = z.strictObject({
  Action: text,
  FunctionName: text,
  /** A service of AWS. The stack gives no other principal a permission. */
  Principal: z.string().regex(/\.amazonaws\.com$/),
  SourceArn: text,
});

export const eventSourceMapping = z.strictObject({
  BatchSize: count.min(1).max(10),
  EventSourceArn: text,
  FunctionName: text,
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  ScalingConfig: z.strictObject({ MaximumConcurrency: count.min(2).max(1000) }),
});

export const api = z.strictObject({
  Name: noEffect,
  Description: noEffect,
  ProtocolType: z.literal('HTTP'),
});

export const integration = z.strictObject({
  ApiId: text,
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: text,
  PayloadFormatVersion: z.literal('2.0'),
});

export const route = z.strictObject({
  ApiId: text,
  AuthorizationType: z.enum(['NONE', 'JWT']).default('NONE'),
  AuthorizerId: text.optional(),
  AuthorizationScopes: z.array(text).default([]),
  RouteKey: text,
  Target: text,
});

export const stage = z.strictObject({
  ApiId: text,
  StageName: z.literal('$default'),
  AutoDeploy: flag,
  // Throttling protects against load from outside, which cannot reach a loopback address.
  DefaultRouteSettings: noEffect,
  RouteSettings: noEffect,
  // The access log is the service provider's, not the service's.
  AccessLogSettings: noEffect,
});

export const bucketDeployment = z.strictObject({
  ServiceToken: text,
  SourceBucketNames: z.array(text),
  SourceObjectKeys: z.array(text),
  SourceMarkers: z.array(z.record(z.string(), text)).default([]),
  SourceMarkersConfig: z.array(z.strictObject({ jsonEscape: flag.default(false) })).default([]),
  DestinationBucketName: text,
  DestinationBucketKeyPrefix: text.default(''),
  SystemMetadata: z.record(z.string(), text).default({}),
  Prune: noEffect,
  WaitForDistributionInvalidation: noEffect,
  DistributionId: noEffect,
  DistributionPaths: noEffect,
  OutputObjectKeys: noEffect,
});

const origin = z.strictObject({
  Id: text,
  DomainName: text,
  OriginAccessControlId: noEffect,
  S3OriginConfig: z.unknown().optional(),
  // One machine speaks plain HTTP between its own listeners; timeouts and TLS versions do not matter there.
  CustomOriginConfig: z.unknown().optional(),
  OriginCustomHeaders: z.array(z.strictObject({ HeaderName: text, HeaderValue: text })).default([]),
});

const behavior = z.strictObject({
  TargetOriginId: text,
  AllowedMethods: z.array(text).default(['GET', 'HEAD']),
  OriginRequestPolicyId: text.optional(),
  ResponseHeadersPolicyId: text.optional(),
  FunctionAssociations: z
    .array(z.strictObject({ EventType: z.literal('viewer-request'), FunctionARN: text }))
    .max(1)
    .default([]),
  // Nothing is cached or compressed here, and the edge of one machine has no certificate to redirect to.
  CachePolicyId: noEffect,
  Compress: noEffect,
  ViewerProtocolPolicy: noEffect,
});
const cacheBehavior = z.strictObject({ ...behavior.shape, PathPattern: text.startsWith('/') });

export const distribution = z.strictObject({
  DistributionConfig: z.strictObject({
    CacheBehaviors: z.array(cacheBehavior).default([]),
    DefaultCacheBehavior: behavior,
    Origins: z.array(origin),
    Enabled: z.literal(true),
    Comment: noEffect,
    HttpVersion: noEffect,
    IPV6Enabled: noEffect,
    Logging: noEffect,
  }),
});

export const originRequestPolicy = z.strictObject({
  OriginRequestPolicyConfig: z.strictObject({
    Name: noEffect,
    HeadersConfig: z.strictObject({ HeaderBehavior: z.literal('whitelist'), Headers: z.array(text) }),
    QueryStringsConfig: z.strictObject({ QueryStringBehavior: z.literal('whitelist'), QueryStrings: z.array(text) }),
    CookiesConfig: z.strictObject({ CookieBehavior: z.literal('none') }),
  }),
});

const override = { Override: flag };
export const responseHeadersPolicy = z.strictObject({
  ResponseHeadersPolicyConfig: z.strictObject({
    Name: noEffect,
    CustomHeadersConfig: z.strictObject({
      Items: z.array(z.strictObject({ Header: text, Value: text, ...override })),
    }),
    SecurityHeadersConfig: z.strictObject({
      ContentSecurityPolicy: z.strictObject({ ContentSecurityPolicy: text, ...override }),
      ContentTypeOptions: z.strictObject(override),
      FrameOptions: z.strictObject({ FrameOption: text, ...override }),
      ReferrerPolicy: z.strictObject({ ReferrerPolicy: text, ...override }),
      StrictTransportSecurity: z.strictObject({
        AccessControlMaxAgeSec: count,
        IncludeSubdomains: z.literal(false),
        ...override,
      }),
    }),
  }),
});

export const viewerFunction = z.strictObject({
  Name: noEffect,
  AutoPublish: z.literal(true),
  FunctionCode: text,
  FunctionConfig: z.strictObject({ Comment: noEffect, Runtime: z.literal('cloudfront-js-2.0') }),
});

/** Types without an effect in the local cloud, with the reasons. identities.ts has their names and attributes where other resources use them. */
export const NO_LOCAL_EFFECT: ReadonlySet<string> = new Set([
  // Calls that are made while a stack is deployed.
  'Custom::AWS',
  // Functions print their metrics into their logs. The local cloud does not display metrics.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  // Counts CDK constructs in AWS's own statistics.
  'AWS::CDK::Metadata',
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
