import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** Everything that differs between stages. */
export type Stage = {
  /** Each stage has its own stack. A stack that changed its stage would change what happens to its data. */
  readonly stackName: string;
  /** What happens to keys, logs and addresses when the stack is deleted. A stack whose creation fails deletes them. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * What happens to tables, users and buckets when the stack is deleted. A stack whose creation fails keeps them too, because their deletion
   * would fail: the tables and users are protected, and a bucket may have files.
   */
  readonly dataRemovalPolicy: RemovalPolicy;
  /** Tables and users cannot be deleted while this is on. */
  readonly deletionProtection: boolean;
  readonly logRetention: RetentionDays;
  /** Default retention of the delivery log, in days. */
  readonly deliveryLogRetentionDays: number;
  /** Whether the option `gradual` has an effect. */
  readonly gradual: boolean;
};

export const STAGES = {
  prod: {
    stackName: 'VaWave',
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    dataRemovalPolicy: RemovalPolicy.RETAIN,
    deletionProtection: true,
    logRetention: RetentionDays.ONE_MONTH,
    deliveryLogRetentionDays: 30,
    gradual: true,
  },
  dev: {
    stackName: 'VaWaveDev',
    removalPolicy: RemovalPolicy.DESTROY,
    dataRemovalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logRetention: RetentionDays.ONE_WEEK,
    deliveryLogRetentionDays: 7,
    gradual: false,
  },
} satisfies Record<string, Stage>;
