import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { KeptKeySha256 } from './kept-key-sha256.ts';

/**
 * How a client reaches AWS when that is not the business of the environment: the operator's command line, which can also
 * talk to the one-machine cloud, and tests. Functions give none, and live in the region and under the role that Lambda sets.
 */
export type AwsAccess = {
  /** One address for every service. */
  readonly endpoint?: string;
  readonly region?: DynamoDBClientConfig['region'];
  readonly credentials?: DynamoDBClientConfig['credentials'];
  /** Replaces the patience below. A person at a terminal waits longer than a function, and from further away. */
  readonly requestHandler?: DynamoDBClientConfig['requestHandler'];
};

/** Every attempt may be repeated twice, a write too: each of ours knows itself again, or may be made twice. */
const ATTEMPTS = 3;

/**
 * What all clients have in common.
 * @param timeoutMs milliseconds for one attempt: until the answer begins, and for each silence within it
 */
const settings = (access: AwsAccess, timeoutMs: number) => ({
  maxAttempts: ATTEMPTS,
  retryMode: 'standard',
  // Each command's way through the client is put together once, and not once per call (docs/decisions/0004).
  cacheMiddleware: true,
  sha256: KeptKeySha256,
  requestHandler: {
    connectionTimeout: Math.min(timeoutMs, 1000),
    requestTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    throwOnRequestTimeout: true,
  },
  ...access,
});

/** Two seconds: an attempt that takes longer than the request's own patience is worth less than its repetition. */
export const dynamoDbClient = (access: AwsAccess = {}): DynamoDBClient => new DynamoDBClient(settings(access, 2000));

export const sqsClient = (access: AwsAccess = {}): SQSClient =>
  new SQSClient({
    ...settings(access, 3000),
    // Otherwise a queue's URL decides where requests go, whatever endpoint the environment names.
    useQueueUrlAsEndpoint: false,
    // TLS tells whether a body arrived whole, and a Node that is held to FIPS has no MD5.
    md5: false,
  });

export const secretsManagerClient = (access: AwsAccess = {}): SecretsManagerClient =>
  new SecretsManagerClient(settings(access, 3000));

export const eventBridgeClient = (access: AwsAccess = {}): EventBridgeClient =>
  new EventBridgeClient(settings(access, 3000));

/** Twice two seconds: about as long as the endpoint's own deadline, since both are waited for side by side. */
export const snsClient = (access: AwsAccess = {}): SNSClient =>
  new SNSClient({ ...settings(access, 2000), maxAttempts: 2 });

/** One attempt of ours is five seconds at most, with the log around it; only then is it worth giving up. Never sent twice. */
export const lambdaClient = (access: AwsAccess = {}): LambdaClient =>
  new LambdaClient({ ...settings(access, 14_000), maxAttempts: 1 });

export const cognitoClient = (access: AwsAccess = {}): CognitoIdentityProviderClient =>
  new CognitoIdentityProviderClient(settings(access, 5000));

export const cloudFormationClient = (access: AwsAccess = {}): CloudFormationClient =>
  new CloudFormationClient(settings(access, 5000));

export const logsClient = (access: AwsAccess = {}): CloudWatchLogsClient =>
  new CloudWatchLogsClient(settings(access, 5000));
