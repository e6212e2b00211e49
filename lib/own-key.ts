import type { Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnArchive } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { ServiceFunction } from './service-function.ts';

/** Seconds for which SQS uses a data key. Each new one is a request to the key, which costs money. */
const DATA_KEY_SECONDS = 300;

/** Services that encrypt with the key for the function that calls them. */
const ENCRYPTING: ReadonlySet<string> = new Set(['dynamodb', 'secretsmanager', 'sns', 'sqs']);

/**
 * Encrypts the tables, queues, logs, secrets and the archive of events of the stack with the operator's key, and allows each function to use the key through the
 * services that it calls. The files of the distribution are public and its access logs have no content, so their buckets keep S3's own keys.
 * docs/deploying.md has the policy that the key needs.
 */
export function encryptWithOwnKey(stack: Stack, keyArn: string): void {
  for (const part of stack.node.findAll()) {
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
      allowThroughServices(stack, part, keyArn);
    }
  }
}

function allowThroughServices(stack: Stack, fn: ServiceFunction, keyArn: string): void {
  const services = [...fn.services].filter((service) => ENCRYPTING.has(service)).sort();
  if (services.length === 0) return;
  fn.fn.addToRolePolicy(
    new PolicyStatement({
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      resources: [keyArn],
      conditions: {
        StringEquals: { 'kms:ViaService': services.map((service) => `${service}.${stack.region}.amazonaws.com`) },
      },
    }),
  );
}
