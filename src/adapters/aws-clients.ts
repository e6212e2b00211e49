import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import { awsTransport } from '#aws-transport';

/**
 * How a client reaches AWS. The operator's command line sets it, because it can also use the one-machine service, and so do tests.
 * Functions do not: they use the region and the role that Lambda sets in their environment.
 */
export type AwsAccess = {
  readonly endpoint?: string;
  readonly region?: DynamoDBClientConfig['region'];
  readonly credentials?: DynamoDBClientConfig['credentials'];
  /** Replaces the timeouts below. An operator can wait longer than a function, and the network is slower. */
  readonly requestHandler?: DynamoDBClientConfig['requestHandler'];
};

/** Each call has two retries. Writes too: each write of this service is idempotent or recognizes its own repetition. */
const ATTEMPTS = 3;

/** @param timeoutMs limit for the start of the response of one attempt, and for each pause within the response */
const settings = (access: AwsAccess, timeoutMs: number) => ({
  maxAttempts: ATTEMPTS,
  retryMode: 'standard',
  // The middleware stack of each command is built once instead of for each call (docs/decisions/0004).
  cacheMiddleware: true,
  requestHandler: awsTransport({
    connectionTimeout: Math.min(timeoutMs, 1000),
    requestTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    throwOnRequestTimeout: true,
  }),
  // The SDK refuses an endpoint where the environment of the operator asks for AWS's own ones of these kinds.
  ...(access.endpoint !== undefined && { useFipsEndpoint: false, useDualstackEndpoint: false }),
  ...access,
});

/** Its timeout is two seconds: a retry is faster. The document client over it refuses `cacheMiddleware`. */
export const dynamoDbClient = (access: AwsAccess = {}): DynamoDBClient =>
  new DynamoDBClient({ ...settings(access, 2000), cacheMiddleware: false });

/** The tries of a call end at least a second before a function of ten seconds does, so that its caller gets an answer. */
const SHORT_TIMEOUT_MS = 2500;

/** Creates an SQS client, whose timeout is three seconds. */
export const sqsClient = (access: AwsAccess = {}): SQSClient =>
  new SQSClient({
    ...settings(access, 3000),
    // Otherwise the client takes the endpoint from the queue's URL and ignores the endpoint of the environment.
    useQueueUrlAsEndpoint: false,
    // TLS already protects the body, and Node in FIPS mode has no MD5.
    md5: false,
  });

export const secretsManagerClient = (access: AwsAccess = {}): SecretsManagerClient =>
  new SecretsManagerClient(settings(access, SHORT_TIMEOUT_MS));

export const eventBridgeClient = (access: AwsAccess = {}): EventBridgeClient =>
  new EventBridgeClient(settings(access, SHORT_TIMEOUT_MS));

/** Creates an SNS client. Two attempts of two seconds take about as long as the deadline of the endpoint, which runs at the same time. */
export const snsClient = (access: AwsAccess = {}): SNSClient =>
  new SNSClient({ ...settings(access, 2000), maxAttempts: 2 });

/** Outlasts the slowest invocation: an outbound attempt of five seconds and its log writes. It never repeats one. */
export const lambdaClient = (access: AwsAccess = {}): LambdaClient =>
  new LambdaClient({ ...settings(access, 14_000), maxAttempts: 1 });

export const cognitoClient = (access: AwsAccess = {}): CognitoIdentityProviderClient =>
  new CognitoIdentityProviderClient(settings(access, 5000));

export const cloudFormationClient = (access: AwsAccess = {}): CloudFormationClient =>
  new CloudFormationClient(settings(access, 5000));

export const logsClient = (access: AwsAccess = {}): CloudWatchLogsClient =>
  new CloudWatchLogsClient(settings(access, 5000));

/** Creates an STS client without retries: every command of the operator waits for it, and most of them can do without its answer. */
export const stsClient = (access: AwsAccess = {}): STSClient =>
  new STSClient({ ...settings(access, 5000), maxAttempts: 1 });
