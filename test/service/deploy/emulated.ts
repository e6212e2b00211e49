import { CfnResource, CfnWaitCondition, type Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnAlias } from 'aws-cdk-lib/aws-lambda';

/** Types that the emulator does not know. Its functions for custom resources have neither boto3 nor a copy of the SDK. */
const UNKNOWN =
  /^(?:AWS::CodeDeploy::|AWS::Cognito::ManagedLoginBranding|AWS::Events::(?:Archive|EventBusPolicy)|AWS::Logs::QueryDefinition|Custom::)/;

/**
 * Takes off a stack what the emulator does not support.
 * @param release takes the part of CodeDeploy: the deployment waits a quarter of an hour for a signal to the wait condition of this name, after the
 *   aliases have their new versions. One of failure is what an alarm is to CodeDeploy
 */
export function leaveOutUnknown(stack: Stack, release?: string): void {
  if (release !== undefined) {
    const waits = new CfnWaitCondition(stack, release, {});
    waits.cfnOptions.creationPolicy = { resourceSignal: { count: 1, timeout: 'PT15M' } };
    for (const part of stack.node.findAll()) if (part instanceof CfnAlias) waits.node.addDependency(part);
  }
  for (const part of stack.node.findAll()) {
    if (part instanceof CfnResource && UNKNOWN.test(part.cfnResourceType))
      part.node.scope?.node.tryRemoveChild(part.node.id);
    if (part instanceof CfnAlias) part.cfnOptions.updatePolicy = undefined;
    // It has no alarms over expressions.
    if (part instanceof CfnAlarm && part.metrics !== undefined) {
      part.metrics = undefined;
      Object.assign(part, { namespace: 'Emulated', metricName: 'Expression', statistic: 'Sum', period: 60 });
    }
  }
}
