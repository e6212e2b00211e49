import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Stage } from './stage.ts';

/** Creates a bucket that is encrypted, has no public access and accepts TLS only. */
export function privateBucket(scope: Construct, id: string, stage: Stage, more: BucketProps): Bucket {
  return new Bucket(scope, id, {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: stage.dataRemovalPolicy,
    // A bucket with content is not deleted.
    autoDeleteObjects: stage.dataRemovalPolicy === RemovalPolicy.DESTROY,
    ...more,
  });
}
