import * as z from 'zod';
import { policyDocument } from '../access/policy-document.ts';
import type { Json } from '../json.ts';

/** A property that changes nothing on one machine: cost, encryption at rest, descriptions, recovery. */
const noEffect = z.unknown().optional();
const value: z.ZodType<Json> = z.json();
const text = z.string();
const count = z.coerce.number().int();
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);

const keySchema = z.array(z.strictObject({ AttributeName: text, KeyType: z.enum(['HASH', 'RANGE']) }));
const projection = z.strictObject({
  ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
  NonKeyAttributes: z.array(text).optional(),
});

export const table = z.strictObject({
  TableName: noEffect,
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: text, AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(z.strictObject({ IndexName: text, KeySchema: keySchema, Projection: projection }))
    .optional(),
  BillingMode: z.literal('PAY_PER_REQUEST'),
  TimeToLiveSpecification: z.strictObject({ AttributeName: text, Enabled: flag }).optional(),
  PointInTimeRecoverySpecification: noEffect,
  SSESpecification: noEffect,
  DeletionProtectionEnabled: noEffect,
  Tags: noEffect,
});

export const queue = z.strictObject({
  QueueName: noEffect,
  VisibilityTimeout: count.optional(),
  DelaySeconds: count.optional(),
  MaximumMessageSize: count.optional(),
  MessageRetentionPeriod: count.optional(),
  ReceiveMessageWaitTimeSeconds: count.optional(),
  RedrivePolicy: z.strictObject({ deadLetterTargetArn: text, maxReceiveCount: count }).optional(),
  SqsManagedSseEnabled: noEffect,
  Tags: noEffect,
});

export const queuePolicy = z.strictObject({ PolicyDocument: policyDocument, Queues: z.array(text) });

export const secret = z.strictObject({
  Name: noEffect,
  Description: noEffect,
  Tags: noEffect,
  SecretString: text.optional(),
  GenerateSecretString: z
    .strictObject({
      SecretStringTemplate: text.optional(),
      GenerateStringKey: text.optional(),
      PasswordLength: count.default(32),
      ExcludeCharacters: text.default(''),
      ExcludeLowercase: flag.default(false),
      ExcludeUppercase: flag.default(false),
      ExcludeNumbers: flag.default(false),
      ExcludePunctuation: flag.default(false),
      IncludeSpace: flag.default(false),
      RequireEachIncludedType: flag.default(true),
    })
    .optional(),
});

export const eventBus = z.strictObject({ Name: text, Description: noEffect, Tags: noEffect });

const ruleCommon = {
  Name: noEffect,
  Description: noEffect,
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
};

export const rule = z.strictObject({
  ...ruleCommon,
  EventBusName: text.default('default'),
  EventPattern: z.record(z.string(), value).optional(),
  ScheduleExpression: text.optional(),
  Targets: z.array(
    z.strictObject({
      Id: text,
      Arn: text,
      SqsParameters: z.strictObject({ MessageGroupId: text }).optional(),
      DeadLetterConfig: z.strictObject({ Arn: text }).optional(),
      RetryPolicy: noEffect,
    }),
  ),
});

export const role = z.strictObject({
  RoleName: noEffect,
  Description: noEffect,
  Tags: noEffect,
  AssumeRolePolicyDocument: policyDocument,
  ManagedPolicyArns: z.array(text).default([]),
  Policies: z.array(z.strictObject({ PolicyName: text, PolicyDocument: policyDocument })).default([]),
});

export const policy = z.strictObject({ PolicyName: text, PolicyDocument: policyDocument, Roles: z.array(text) });

export const lambdaFunction = z.strictObject({
  FunctionName: noEffect,
  Description: noEffect,
  Tags: noEffect,
  Architectures: noEffect,
  Code: z.union([z.strictObject({ S3Bucket: text, S3Key: text }), z.strictObject({ ZipFile: text })]),
  Handler: text,
  Runtime: text,
  Role: text,
  Timeout: count.default(3),
  MemorySize: count.default(128),
  Environment: z
    .strictObject({ Variables: z.record(z.string(), z.coerce.string()).default({}) })
    .default({ Variables: {} }),
  LoggingConfig: z.strictObject({ LogFormat: text.optional(), LogGroup: text.optional() }).default({}),
  ReservedConcurrentExecutions: count.optional(),
  TracingConfig: noEffect,
});

export const permission = z.strictObject({
  Action: text,
  FunctionName: text,
  Principal: text,
  SourceArn: text.optional(),
  SourceAccount: noEffect,
});

export const eventSourceMapping = z.strictObject({
  BatchSize: count.min(1).max(10).default(10),
  EventSourceArn: text,
  FunctionName: text,
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  ScalingConfig: z.strictObject({ MaximumConcurrency: count.min(2).max(1000) }).optional(),
  Enabled: flag.default(true),
});

export const api = z.strictObject({
  Name: noEffect,
  Description: noEffect,
  Tags: noEffect,
  ProtocolType: z.literal('HTTP'),
});

export const integration = z.strictObject({
  ApiId: text,
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: text,
  PayloadFormatVersion: z.literal('2.0'),
  TimeoutInMillis: count.optional(),
  Description: noEffect,
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
  Description: noEffect,
  // Throttling guards against floods from outside; nobody outside reaches a loopback address.
  DefaultRouteSettings: noEffect,
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
  UserMetadata: noEffect,
  Prune: noEffect,
  RetainOnDelete: noEffect,
  WaitForDistributionInvalidation: noEffect,
  DistributionId: noEffect,
  DistributionPaths: noEffect,
  OutputObjectKeys: noEffect,
});

const origin = z.strictObject({
  Id: text,
  DomainName: text,
  OriginPath: text.default(''),
  OriginAccessControlId: noEffect,
  S3OriginConfig: z.unknown().optional(),
  // One machine speaks plain HTTP between its own listeners; timeouts and TLS versions do not matter there.
  CustomOriginConfig: z.unknown().optional(),
  ConnectionAttempts: noEffect,
  ConnectionTimeout: noEffect,
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
  CachedMethods: noEffect,
  Compress: noEffect,
  ViewerProtocolPolicy: noEffect,
});
const cacheBehavior = z.strictObject({ ...behavior.shape, PathPattern: text });

export const distribution = z.strictObject({
  Tags: noEffect,
  DistributionConfig: z.strictObject({
    CacheBehaviors: z.array(cacheBehavior).default([]),
    DefaultCacheBehavior: behavior,
    Origins: z.array(origin),
    DefaultRootObject: text.default(''),
    CustomErrorResponses: z
      .array(
        z.strictObject({
          ErrorCode: count,
          ResponseCode: count.optional(),
          ResponsePagePath: text.optional(),
          ErrorCachingMinTTL: noEffect,
        }),
      )
      .default([]),
    Enabled: z.literal(true),
    Comment: noEffect,
    HttpVersion: noEffect,
    IPV6Enabled: noEffect,
    PriceClass: noEffect,
    Logging: noEffect,
  }),
});

const names = z.array(text).default([]);
export const originRequestPolicy = z.strictObject({
  OriginRequestPolicyConfig: z.strictObject({
    Name: noEffect,
    Comment: noEffect,
    HeadersConfig: z.strictObject({
      HeaderBehavior: z.enum(['none', 'whitelist', 'allViewer', 'allExcept', 'allViewerAndWhitelistCloudFront']),
      Headers: names,
    }),
    QueryStringsConfig: z.strictObject({
      QueryStringBehavior: z.enum(['none', 'whitelist', 'all', 'allExcept']),
      QueryStrings: names,
    }),
    CookiesConfig: z.strictObject({
      CookieBehavior: z.enum(['none', 'whitelist', 'all', 'allExcept']),
      Cookies: names,
    }),
  }),
});

const override = { Override: flag };
export const responseHeadersPolicy = z.strictObject({
  ResponseHeadersPolicyConfig: z.strictObject({
    Name: noEffect,
    Comment: noEffect,
    CorsConfig: z
      .strictObject({
        AccessControlAllowCredentials: flag,
        AccessControlAllowHeaders: z.strictObject({ Items: z.array(text) }),
        AccessControlAllowMethods: z.strictObject({ Items: z.array(text) }),
        AccessControlAllowOrigins: z.strictObject({ Items: z.array(text) }),
        AccessControlExposeHeaders: z.strictObject({ Items: z.array(text) }).optional(),
        AccessControlMaxAgeSec: count.optional(),
        OriginOverride: flag,
      })
      .optional(),
    CustomHeadersConfig: z
      .strictObject({ Items: z.array(z.strictObject({ Header: text, Value: text, ...override })) })
      .optional(),
    SecurityHeadersConfig: z
      .strictObject({
        ContentSecurityPolicy: z.strictObject({ ContentSecurityPolicy: text, ...override }).optional(),
        ContentTypeOptions: z.strictObject(override).optional(),
        FrameOptions: z.strictObject({ FrameOption: text, ...override }).optional(),
        ReferrerPolicy: z.strictObject({ ReferrerPolicy: text, ...override }).optional(),
        StrictTransportSecurity: z
          .strictObject({
            AccessControlMaxAgeSec: count,
            IncludeSubdomains: flag.optional(),
            Preload: flag.optional(),
            ...override,
          })
          .optional(),
        XSSProtection: z
          .strictObject({ Protection: flag, ModeBlock: flag.optional(), ReportUri: text.optional(), ...override })
          .optional(),
      })
      .optional(),
    RemoveHeadersConfig: z.strictObject({ Items: z.array(z.strictObject({ Header: text })) }).optional(),
    ServerTimingHeadersConfig: noEffect,
  }),
});

export const viewerFunction = z.strictObject({
  Name: noEffect,
  AutoPublish: z.literal(true),
  FunctionCode: text,
  FunctionConfig: z.strictObject({ Comment: noEffect, Runtime: z.literal('cloudfront-js-2.0') }),
});

/** Types that change nothing on one machine, and why. Their names and attributes are in identities.ts where others ask. */
export const NO_LOCAL_EFFECT: ReadonlySet<string> = new Set([
  // Functions print their metrics into their logs; nobody draws them here.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  // Counts CDK constructs in AWS's own statistics.
  'AWS::CDK::Metadata',
  // Function logs are files here; who may write them is decided by the role (function-log.ts).
  'AWS::Logs::LogGroup',
  // The AWS command line for the function behind BucketDeployment, which one machine plays itself.
  'AWS::Lambda::LayerVersion',
  // Objects come from the deployment assets, and only the edge reads them.
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::CloudFront::OriginAccessControl',
  // The stand-in for the managed login has its own address, its own looks and the scopes of its client.
  'AWS::Cognito::UserPoolDomain',
  'AWS::Cognito::UserPoolResourceServer',
  'AWS::Cognito::ManagedLoginBranding',
]);
