import { fileURLToPath } from 'node:url';
import { App, CfnResource } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { replaceModules } from '../../../lib/bundles.ts';
import { readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';

/**
 * The app of bin/app.ts for the emulator, without what the emulator does not support, and with the local network rule, which allows endpoints on
 * loopback. It uses the development stage, which deletes everything with the stack, except with the argument `prod`.
 */
const app = new App();
const options = readDeploymentOptions(app.node);
replaceModules({ '#network-rule': fileURLToPath(new URL('../../../local/network-rule.ts', import.meta.url)) });
const stack = new VaWaveStack(app, options.stackName ?? 'VaWave', {
  ...options,
  stage: process.argv[2] === 'prod' ? 'prod' : 'dev',
  terminationProtection: false,
});

/** Types that the emulator does not know. Its functions for custom resources have neither boto3 nor a copy of the SDK. */
const UNKNOWN =
  /^(?:AWS::CodeDeploy::|AWS::Cognito::ManagedLoginBranding|AWS::Events::(?:Archive|EventBusPolicy)|AWS::Logs::QueryDefinition|Custom::)/;

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
