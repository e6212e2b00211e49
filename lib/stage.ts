import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** Everything that differs between stages. */
export type Stage = {
  /** Each stage has its own stack. A stack that changed its stage would change what happens to its data. */
  readonly stackName: string;
  /** What happens to data, keys and logs when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  /** Tables and users cannot be deleted while this is on. */
  readonly deletionProtection: boolean;
  readonly logRetention: RetentionDays;
  /** Default retention of the delivery log, in days. */
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
