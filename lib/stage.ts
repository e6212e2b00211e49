import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What differs between stages, and all that does. */
export type Stage = {
  /** Stages are stacks of their own: one that became another would change what happens to its data. */
  readonly stackName: string;
  /** Of data, keys and logs, when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Tables and users cannot be deleted before somebody switches this off. */
  readonly deletionProtection: boolean;
  readonly logRetention: RetentionDays;
  /** Of the delivery log, unless a setting says otherwise. */
  readonly deliveryLogRetentionDays: number;
};

export const STAGES = {
  prod: {
    stackName: 'VaWave',
    removalPolicy: RemovalPolicy.RETAIN,
    deletionProtection: true,
    logRetention: RetentionDays.ONE_MONTH,
    deliveryLogRetentionDays: 30,
  },
  dev: {
    stackName: 'VaWaveDev',
    removalPolicy: RemovalPolicy.DESTROY,
    deletionProtection: false,
    logRetention: RetentionDays.ONE_WEEK,
    deliveryLogRetentionDays: 7,
  },
} satisfies Record<string, Stage>;

export type StageName = keyof typeof STAGES;
