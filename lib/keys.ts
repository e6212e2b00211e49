import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/contract/environment.ts';
import { METRICS } from '../src/contract/metrics.ts';
import { type Alarms, ownMetric } from './alarms.ts';
import { REQUEST_TIMEOUT, ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/** A week, and two daily runs that failed. */
const TOKEN_KEY_OLD_DAYS = 9;
/** It runs once a day, and Lambda has tried three times by then. */
const SINGLE_ERROR = { threshold: 1, periods: 1, breaching: 1 };

export type KeysProps = {
  readonly stage: Stage;
  readonly alarms: Alarms;
  /** A second region that holds a copy of the sealing key. @default none */
  readonly sealingKeyReplicaRegion?: string | undefined;
};

/** The service's own keys. CloudFormation generates their first values; nobody ever types one. */
export class Keys extends Construct {
  /** Signs session tokens: a ring, of which this is the first key. */
  readonly token: Secret;
  /** Seals the signing secrets of Actions. Losing it loses every one of them. */
  readonly sealing: Secret;
  /** Proves to the API that a request came through our distribution. */
  readonly origin: Secret;

  constructor(scope: Construct, id: string, props: KeysProps) {
    super(scope, id);
    const key = (name: string, description: string) =>
      new Secret(this, name, {
        description,
        generateSecretString: {
          secretStringTemplate: JSON.stringify({ kid: 'k1' }),
          generateStringKey: 'key',
          passwordLength: 64,
          excludePunctuation: true,
        },
        removalPolicy: props.stage.removalPolicy,
      });
    this.token = key('Token', 'Signs the session tokens of va-wave');
    this.sealing = key('Sealing', 'Seals the signing secrets of va-wave Actions; do not delete');
    if (props.sealingKeyReplicaRegion !== undefined) this.sealing.addReplicaRegion(props.sealingKeyReplicaRegion);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'The token keys rotate by our own function, since retired ones must stay until their tokens expire; the sealing key and the origin secret are replaced by the documented steps (docs/runbook.md).',
    });
    this.origin = new Secret(this, 'Origin', {
      description: 'Sent by the va-wave distribution to its API, which trusts the viewer address only beside it',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    this.#rotateTokenKeys(props);
  }

  allowTokenKeys(fn: ServiceFunction): void {
    this.#allowRead(fn, this.token, ENVIRONMENT.tokenKeys);
  }

  allowSealingKey(fn: ServiceFunction): void {
    this.#allowRead(fn, this.sealing, ENVIRONMENT.sealingKey);
  }

  allowOriginSecret(fn: ServiceFunction): void {
    this.#allowRead(fn, this.origin, ENVIRONMENT.originSecret);
  }

  /**
   * Replaces the ring every week: a stolen key is worth a week and 85 minutes at most, until its successor signs (5 minutes) and the
   * last token that it may have signed is gone (80). The function runs daily, and tells the key's age.
   */
  #rotateTokenKeys({ stage, alarms }: KeysProps): void {
    const rotation = new ServiceFunction(this, 'KeyRotation', {
      stage,
      folder: 'key-rotation',
      description: 'Adds a key to the ring that signs session tokens, and drops those that no token needs',
      timeout: REQUEST_TIMEOUT,
      memorySize: 256,
    });
    rotation.allow({
      actions: ['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'],
      resources: [this.token.secretArn],
      environment: { [ENVIRONMENT.tokenKeys]: this.token.secretArn },
    });
    new Rule(this, 'TokenRotation', {
      description: 'Rotates the token keys',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaFunction(rotation.fn)],
    });
    alarms.watch(this, [rotation], SINGLE_ERROR);
    alarms.raise(this, 'TokenKeyAge', {
      runbookEntry: 'token-key-age',
      metric: ownMetric(METRICS.tokenKeyAge, Duration.days(1), 'Maximum'),
      threshold: TOKEN_KEY_OLD_DAYS,
    });
  }

  #allowRead(fn: ServiceFunction, secret: Secret, environmentName: string): void {
    fn.allow({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [secret.secretArn],
      environment: { [environmentName]: secret.secretArn },
    });
  }
}
