import { Aws, Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnArchive } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ServiceFunction } from './service-function.ts';

/** Seconds for which SQS uses a data key. Each new one is a request to the key, which costs money. */
const DATA_KEY_SECONDS = 300;

const DECRYPT = ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'];
const ENCRYPT = [...DECRYPT, 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'];

/** Services that encrypt with the key for the function that calls them. */
const ENCRYPTING: ReadonlySet<string> = new Set(['dynamodb', 'secretsmanager', 'sns', 'sqs']);

/**
 * Encrypts the tables, queues, logs, secrets and the archive of events of the service with the operator's key, and allows each function to use the key through the
 * services that it calls. The files of the distribution are public and its access logs have no content, so their buckets keep S3's own keys.
 * A key of the same app gets the policy that it needs; docs/deploying.md has it for others.
 */
export function encryptWithOwnKey(service: Construct, key: IKey): void {
  const { keyArn } = key;
  allowServices(key);
  for (const part of service.node.findAll()) {
    if (part instanceof CfnTable) {
      part.sseSpecification = { sseEnabled: true, sseType: 'KMS', kmsMasterKeyId: keyArn };
    } else if (part instanceof CfnQueue) {
      part.sqsManagedSseEnabled = false;
      part.kmsMasterKeyId = keyArn;
      part.kmsDataKeyReusePeriodSeconds = DATA_KEY_SECONDS;
    } else if (part instanceof CfnLogGroup || part instanceof CfnSecret) {
      part.kmsKeyId = keyArn;
    } else if (part instanceof CfnArchive) {
      part.kmsKeyIdentifier = keyArn;
    } else if (part instanceof ServiceFunction) {
      allowThroughServices(part, keyArn);
    }
  }
}

/** Allows the services that use the key by themselves. A key that exists already is not changed. */
function allowServices(key: IKey): void {
  const allow = (service: string, actions: string[], conditions: object) =>
    key.addToResourcePolicy(
      new PolicyStatement({ principals: [new ServicePrincipal(service)], actions, resources: ['*'], conditions }),
    );
  const logGroups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`;
  allow(`logs.${Aws.REGION}.amazonaws.com`, ENCRYPT, {
    ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups },
  });
  allow('events.amazonaws.com', DECRYPT, { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } });
}

function allowThroughServices(fn: ServiceFunction, keyArn: string): void {
  const services = [...fn.services].filter((service) => ENCRYPTING.has(service)).sort();
  if (services.length === 0) return;
  fn.fn.addToRolePolicy(
    new PolicyStatement({
      actions: ENCRYPT,
      resources: [keyArn],
      conditions: {
        StringEquals: {
          'kms:ViaService': services.map((service) => `${service}.${Stack.of(fn).region}.amazonaws.com`),
        },
      },
    }),
  );
}
