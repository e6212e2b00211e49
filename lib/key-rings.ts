import { Duration, Stack } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { METRICS } from '../src/deployment/metrics.ts';
import { acknowledge } from './acknowledged-findings.ts';
import { type Alarms, ownMetric } from './alarms.ts';
import type { VaWaveProps } from './deployment-options.ts';
import { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/** Maximum age of the newest token key: a week, and a day of runs that failed. */
const TOKEN_KEY_OLD_DAYS = 8;
/** The function runs once an hour, so a fault cannot cause more errors within the period of other alarms. */
const SINGLE_ERROR = { threshold: 1, periods: 1, breachingPeriods: 1 };

export type KeyRingsProps = Pick<VaWaveProps, 'sealingKeyReplicaRegion'> & {
  readonly stage: Stage;
  readonly alarms: Alarms;
};

export type SecretName = 'tokenKeys' | 'sealingKey' | 'originSecret';

/** The keys of the service. CloudFormation generates their first values, so no person enters one. */
export class KeyRings extends Construct {
  /** Sign session tokens. The secret becomes a ring: `key-rotation` adds further keys to the first one. */
  readonly tokenKeys: Secret;
  /** Encrypts the signing secrets of Actions. Without it, no signing secret can be read. */
  readonly sealingKey: Secret;
  /** Proves to the API that a request came through the distribution. */
  readonly originSecret: Secret;

  constructor(scope: Construct, id: string, props: KeyRingsProps) {
    super(scope, id);
    const { encryptionKey, removalPolicy } = props.stage;
    const key = (name: string, description: string) =>
      new Secret(this, name, {
        description,
        generateSecretString: {
          secretStringTemplate: JSON.stringify({ kid: 'k1' }),
          generateStringKey: 'key', // Its value is random: {"kid":"k1","key":"…"}.
          passwordLength: 64,
          excludePunctuation: true,
        },
        removalPolicy,
        encryptionKey,
      });
    this.tokenKeys = key('Token', 'Signs the session tokens of va-wave');
    this.sealingKey = key('Sealing', 'Seals the signing secrets of va-wave Actions; do not delete');
    if (props.sealingKeyReplicaRegion !== undefined) {
      this.sealingKey.addReplicaRegion(
        props.sealingKeyReplicaRegion,
        this.#replicaKey(props.sealingKeyReplicaRegion, encryptionKey),
      );
    }
    acknowledge(
      this,
      'The token keys rotate by our own function, since retired ones must stay until their tokens expire; the sealing key and the origin secret are replaced by the documented steps (docs/runbook.md).',
      'SMG4',
    );
    this.originSecret = new Secret(this, 'Origin', {
      description: 'The va-wave distribution sends it to its API, which trusts the viewer address only with it',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      encryptionKey,
    });
    this.#rotateTokenKeys(props);
  }

  /** The replica of the operator's key in another region, which has the same id; undefined for a key of AWS. */
  #replicaKey(region: string, key: IKey | undefined): IKey | undefined {
    if (key === undefined) return undefined;
    const { account } = key.env;
    const arn = Stack.of(this).formatArn({ service: 'kms', region, account, resource: 'key', resourceName: key.keyId });
    return Key.fromKeyArn(this, 'ReplicaKey', arn);
  }

  /** Allows a function to read a secret, and passes it the secret's ARN. */
  allowRead(fn: ServiceFunction, name: SecretName): void {
    const { secretArn } = this[name];
    fn.allow({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [secretArn],
      environment: { [ENVIRONMENT[name]]: secretArn },
    });
  }

  /**
   * Adds a key every week. A stolen key is useful for at most a week and 150 minutes: 65 until the hourly run that finds the key, which is active
   * 5 minutes after its creation, a week old, 5 until every function signs with the next key, and 80 until the last token of the old key has
   * expired. The function also publishes the age of the key.
   */
  #rotateTokenKeys({ stage, alarms }: KeyRingsProps): void {
    const rotation = new ServiceFunction(this, 'KeyRotation', {
      stage,
      folder: 'key-rotation',
      description: 'Adds a key to the ring that signs session tokens, and removes the keys that no token needs',
      invokedBy: 'schedule',
      memorySize: 256,
    });
    rotation.allow({
      actions: [
        'secretsmanager:GetSecretValue',
        'secretsmanager:PutSecretValue',
        'secretsmanager:UpdateSecretVersionStage',
      ],
      resources: [this.tokenKeys.secretArn],
      environment: { [ENVIRONMENT.tokenKeys]: this.tokenKeys.secretArn },
    });
    new Rule(this, 'TokenRotation', {
      description: 'Rotates the token keys',
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new targets.LambdaFunction(rotation.fn)],
    });
    alarms.watch(this, [rotation], SINGLE_ERROR);
    alarms.raise(this, 'TokenKeyAge', {
      runbookEntry: 'token-key-age',
      severity: 'ticket',
      metric: ownMetric(stage, METRICS.tokenKeyAge, 'Maximum', Duration.hours(1)),
      threshold: TOKEN_KEY_OLD_DAYS,
      periods: 3,
      // A missing value is a fault: the schedule does not run.
      missingData: TreatMissingData.BREACHING,
    });
  }
}
