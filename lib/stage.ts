import { Aws, CfnParameter, CfnRule, Fn, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type LogGroupProps, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** Maximum length of a service's name. With the longest name of a region it fits the limit of CloudFront and CloudWatch Logs, 60 characters. */
export const SERVICE_NAME_MAX = 40;
/** CloudFront has its certificates, web ACLs, metrics and log deliveries in this region only, for stacks of every region. */
export const CLOUDFRONT_REGION = 'us-east-1';

export type StageName = 'prod' | 'dev';

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
  readonly deliveryLogRetentionDays: number;
  readonly isGradual: boolean;
  readonly tracing: boolean;
  /** Undefined: keys of AWS */
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
} satisfies Record<StageName, Omit<Stage, 'service' | 'isGradual' | 'tracing' | 'encryptionKey'>>;

/**
 * Makes CloudFormation refuse a template of the other stage: production would become deletable, with all data. A parameter keeps the value of the
 * deployment before, and a rule compares it with the template's while the change set is created, before the command line of the CDK changes the
 * termination protection (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html).
 */
export function keepStage(service: Construct, name: StageName): void {
  let stack = Stack.of(service);
  // A nested stack gets its parameters from the template of its parent, and keeps none.
  while (stack.nestedStackParent !== undefined) stack = stack.nestedStackParent;
  const scope = stack === Stack.of(service) ? service : new Construct(stack, Names.uniqueResourceName(service, {}));
  const storedStage = new CfnParameter(scope, 'Stage', {
    default: name,
    description: 'The stage that the stack had when it was created. Do not change it.',
  });
  new CfnRule(scope, 'KeepsStage', {
    assertions: [
      {
        assert: Fn.conditionEquals(storedStage.valueAsString, name),
        assertDescription: `va-wave: the stage of a stack never changes, and this template is of stage ${name}. Nothing was changed. Deploy another stack, with -c stackName=<name>`,
      },
    ],
  });
}

/** Builds a name that is unique in the account over all regions. @param suffix at most four characters */
export function nameInAccount({ service }: Stage, ...suffix: readonly string[]): string {
  return Fn.join('-', [service, Aws.REGION, ...suffix]);
}

const ARCHIVE_DAYS = 7; // Unless the operator says otherwise.

/** Returns for how many days the option keeps events; undefined for no archive. `true` keeps them for less than the delivery log. @param kept its retention in days */
export function archiveDaysOf(option: boolean | number | undefined, kept: number): number | undefined {
  if (option === true) return Math.min(ARCHIVE_DAYS, Math.max(1, kept - 1));
  return option === false ? undefined : option;
}

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
