import { RemovalPolicy } from 'aws-cdk-lib';
import { type LogGroupProps, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Replacements } from './bundles.ts';

/** Everything that differs between stages. */
export type Stage = {
  /** Each stage has its own stack. A stack that changed its stage would change what happens to its data. */
  readonly stackName: string;
  /** What happens to keys and addresses when the stack is deleted. A stack whose creation fails deletes them. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * What happens to tables, users and buckets when the stack is deleted. A stack whose creation fails keeps them too, because their deletion
   * would fail: the tables and users are protected, and a bucket may have files.
   */
  readonly dataRemovalPolicy: RemovalPolicy;
  /** Tables and users cannot be deleted while this is on. */
  readonly deletionProtection: boolean;
  readonly logs: Pick<LogGroupProps, 'retention' | 'removalPolicy'>;
  /** Default retention of the delivery log, in days. */
  readonly deliveryLogRetentionDays: number;
  /** Whether the traffic of a new version of a function shifts gradually. */
  readonly gradual: boolean;
  /** What the functions have in place of some modules. None for a deployment. */
  readonly replacements: Replacements;
};

export const STAGES = {
  prod: {
    stackName: 'VaWave',
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    dataRemovalPolicy: RemovalPolicy.RETAIN,
    deletionProtection: true,
    logs: { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    deliveryLogRetentionDays: 30,
  },
  dev: {
    stackName: 'VaWaveDev',
    removalPolicy: RemovalPolicy.DESTROY,
    dataRemovalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logs: { retention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY },
    deliveryLogRetentionDays: 7,
  },
} satisfies Record<string, Omit<Stage, 'gradual' | 'replacements'>>;

/** Days for which the archive of events keeps them, unless the operator says otherwise. */
const ARCHIVE_DAYS = 7;

/** Returns for how many days the option keeps events; undefined for no archive. @param kept retention of the delivery log, in days */
export function archiveDaysOf(option: boolean | number | undefined, kept: number): number | undefined {
  if (option === true) return Math.min(ARCHIVE_DAYS, Math.max(1, kept - 1));
  return option === false ? undefined : option;
}

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
