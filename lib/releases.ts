import { Duration } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import * as codedeploy from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledgePolicies } from './acknowledged-findings.ts';
import type { InvokedBy, ServiceFunction } from './service-function.ts';

export type ReleasesProps = {
  readonly functions: readonly ServiceFunction[];
  readonly alarms: readonly Alarm[];
  /**
   * Whether the alarms watch a release. While any of them is raised, every function then keeps or gets back its earlier version. Otherwise, each gets
   * the new version at once, for a fix while an alarm is raised: CodeDeploy stops a deployment that begins then
   * (https://docs.aws.amazon.com/codedeploy/latest/userguide/monitoring-create-alarms.html).
   */
  readonly endsByAlarm: boolean;
};

/** Shifts the traffic of a new version of a function, and shifts it back when an alarm is raised. A lasting fault raises one within ten minutes. */
export class Releases extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms, endsByAlarm }: ReleasesProps) {
    super(scope, id);
    const application = new codedeploy.LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    });
    acknowledgePolicies(role, 'AWS maintains what CodeDeploy needs to shift the traffic of functions.');
    const gradual: Readonly<Record<Exclude<InvokedBy, 'schedule'>, codedeploy.ILambdaDeploymentConfig>> = {
      request: codedeploy.LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
      // Older code refuses a newer message, which becomes visible again after 30 s and is a dead letter after 25 receives. With a hundredth of
      // the receives, the older version does not use them up. Without any, CodeDeploy would not wait for the alarm.
      message: new codedeploy.LambdaDeploymentConfig(this, 'AlmostAtOnce', {
        trafficRouting: new codedeploy.TimeBasedCanaryTrafficRouting({
          interval: Duration.minutes(15),
          percentage: 99,
        }),
      }),
    };
    for (const { name, callable, invokedBy } of functions) {
      // A function on a schedule has no alias, because a share of its few invocations shows no fault. Every other has one, of which the compiler must be told.
      if (invokedBy === 'schedule' || !(callable instanceof Alias)) continue;
      new codedeploy.LambdaDeploymentGroup(this, name, {
        application,
        role,
        alias: callable,
        deploymentConfig: endsByAlarm ? gradual[invokedBy] : codedeploy.LambdaDeploymentConfig.ALL_AT_ONCE,
        alarms: [...alarms],
        // Without alarms in the template, a flag of the app would decide whether the group keeps those of the deployment before.
        ignoreAlarmConfiguration: !endsByAlarm,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: endsByAlarm },
      });
    }
  }
}
