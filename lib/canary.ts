import { Duration } from 'aws-cdk-lib';
import { type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { METRICS } from '../src/deployment/metrics.ts';
import { acknowledge } from './acknowledged-findings.ts';
import { FIVE_MINUTES, LASTING, ownMetric } from './alarms.ts';
import type { Foundation } from './foundation.ts';
import { ServiceFunction } from './service-function.ts';

/** Three requests of at most eight seconds each, an event, and reading the secret. */
const CANARY_TIMEOUT = Duration.seconds(30);

export type CanaryProps = Foundation & { readonly baseUrl: string };

/**
 * Uses the service from outside, as a customer does, and raises an alarm when that fails. It detects faults that no other metric shows, such as an
 * expired certificate or a web ACL that refuses every request. It is a scheduled function, because CloudWatch Synthetics costs more for the same.
 */
export class Canary extends Construct {
  /** Contains the server secret of the assistant that the canary uses. The operator writes it. */
  readonly serverKey: Secret;
  readonly failures: IMetric;

  constructor(scope: Construct, id: string, { stage, alarms, messaging, baseUrl }: CanaryProps) {
    super(scope, id);
    this.serverKey = new Secret(this, 'ServerKey', {
      description: 'The server secret of the assistant that the canary of va-wave uses',
      encryptionKey: stage.encryptionKey,
    });
    acknowledge(
      this.serverKey,
      'It is the secret of an assistant, which the operator regenerates and writes here.',
      'SMG4',
    );
    const canary = new ServiceFunction(this, 'Canary', {
      stage,
      folder: 'canary',
      description: 'Puts an event on the bus, creates a session, initializes a widget and loads its file',
      timeout: CANARY_TIMEOUT,
      invokedBy: 'schedule',
      memorySize: 256,
    });
    canary.allow({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [this.serverKey.secretArn],
      environment: { [ENVIRONMENT.canaryServerKey]: this.serverKey.secretArn, [ENVIRONMENT.baseUrl]: baseUrl },
    });
    messaging.allowPutEvents(canary);
    new Rule(this, 'EveryFiveMinutes', {
      description: 'Uses the service as a customer does',
      schedule: Schedule.rate(FIVE_MINUTES),
      targets: [new targets.LambdaFunction(canary.fn)],
    });
    this.failures = ownMetric(stage, METRICS.canaryFailed, 'Maximum');
    alarms.watch(this, [canary]);
    alarms.raise(this, 'Failed', {
      runbookEntry: 'canary',
      metric: this.failures,
      threshold: 1,
      ...LASTING,
      // A missing value is a fault: the canary did not run.
      missingData: TreatMissingData.BREACHING,
      endsRelease: true,
    });
    alarms.raise(this, 'EventsMissing', {
      runbookEntry: 'events-missing',
      // The canary puts an event on the bus in each period. No other metric shows a rule that was disabled or deleted.
      metric: messaging.events.queue.metricNumberOfMessagesSent({ period: FIVE_MINUTES }),
      threshold: 1,
      below: true,
      periods: 3,
      missingData: TreatMissingData.BREACHING,
    });
  }
}
