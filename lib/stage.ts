import { Aws, Fn, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type LogGroupProps, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** Maximum length of a service's name. With the longest name of a region it fits the limit of CloudFront and CloudWatch Logs, 60 characters. */
export const SERVICE_NAME_MAX = 40;

/** What all parts of one service know of it, and everything that differs between stages. */
export type Stage = {
  /** Name of this service among all of its account and region, in names and metrics: that of its stack, if the stack has no other. */
  readonly service: string;
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
  readonly logs: Pick<LogGroupProps, 'retention' | 'removalPolicy' | 'encryptionKey'>;
  /** Retention of the delivery log, in days. */
  readonly deliveryLogRetentionDays: number;
  /** Whether the traffic of a new version of a function shifts gradually. */
  readonly gradual: boolean;
  /** Whether X-Ray traces the functions. */
  readonly tracing: boolean;
  /** Encrypts what the service stores. Undefined: keys of AWS */
  readonly encryptionKey: IKey | undefined;
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
} satisfies Record<string, Omit<Stage, 'service' | 'gradual' | 'tracing' | 'encryptionKey'>>;

/**
 * Builds a name that must be unique in the account over all regions.
 * @param suffix at most four characters
 */
export function nameInAccount({ service }: Stage, ...suffix: readonly string[]): string {
  return Fn.join('-', [service, Aws.REGION, ...suffix]);
}

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
