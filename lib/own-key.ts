import { Aws, Lazy } from 'aws-cdk-lib';
import { CfnArchive } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';

/**
 * The operator's key encrypts the tables, queues, logs, secrets and the archive of events. The files of the distribution are public and its access logs
 * have no content, so their buckets keep S3's own keys. A key of the same app gets the policy that it needs; docs/deploying.md has it for others.
 */

/** Seconds for which SQS uses a data key. Each new one is a request to the key, which costs money. */
const DATA_KEY_SECONDS = 300;
/** What a service needs that uses the key by itself. */
const BY_ITSELF = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'];
/** What an alarm needs to notify a topic that the key encrypts. */
const BY_ALARM = ['kms:Decrypt', 'kms:GenerateDataKey*'];
/** What a function needs, whose statements have no wildcard. */
const BY_FUNCTION = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Services that encrypt with the key for the function that calls them. */
export const ENCRYPTING: ReadonlySet<string> = new Set(['dynamodb', 'secretsmanager', 'sns', 'sqs']);

/**
 * Encrypts a queue or an archive with the operator's key, if there is one. The CDK's own props also change who may use the queue and the key: the queue would accept events of any rule, and the
 * policy of the key would name the bus, which can be in a stack that depends on the key's.
 */
export function encrypt({ node }: IConstruct, key: IKey | undefined): void {
  if (key === undefined) return;
  const resource = node.defaultChild;
  if (resource instanceof CfnArchive) resource.kmsKeyIdentifier = key.keyArn;
  if (!(resource instanceof CfnQueue)) return;
  resource.sqsManagedSseEnabled = false;
  resource.kmsMasterKeyId = key.keyArn;
  resource.kmsDataKeyReusePeriodSeconds = DATA_KEY_SECONDS;
}

/** Allows the services that use the key by themselves. A key that exists already is not changed. */
export function allowServices(key: IKey, { hasAlarmTopic }: { readonly hasAlarmTopic: boolean }): void {
  const allow = (service: string, conditions: object, actions = BY_ITSELF) => {
    const principals = [new ServicePrincipal(service)];
    key.addToResourcePolicy(new PolicyStatement({ principals, actions, resources: ['*'], conditions }));
  };
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  allow(`logs.${Aws.REGION}.amazonaws.com`, {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
  });
  const forAccount = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } };
  // Without it an alarm notifies no topic that this key encrypts, and nothing but the alarm's history tells.
  if (hasAlarmTopic) allow('cloudwatch.amazonaws.com', forAccount, BY_ALARM);
  allow('events.amazonaws.com', forAccount);
}

/** Allows the use of the key through these services only. The set may grow until the synthesis. */
export function allowThrough(key: IKey, services: ReadonlySet<string>): PolicyStatement {
  const hosts = () => [...services].sort().map((service) => `${service}.${Aws.REGION}.amazonaws.com`);
  return new PolicyStatement({
    actions: BY_FUNCTION,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': Lazy.list({ produce: hosts }) } },
  });
}
