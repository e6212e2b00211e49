import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnManagedLoginBranding } from 'aws-cdk-lib/aws-cognito';
import { readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';

/**
 * The app of bin/app.ts for the emulator. It leaves out what the emulator does not support, such as the termination protection, and uses
 * the local network rule, which allows endpoints on loopback. It uses the development stage, which deletes everything with the stack,
 * except with the argument `prod`.
 */
const app = new App();
const options = readDeploymentOptions(app.node);
const replacements = {
  '#network-rule': fileURLToPath(new URL('../../../local/network-rule.ts', import.meta.url)),
};
const stack = new VaWaveStack(app, options.stackName ?? 'VaWave', {
  ...options,
  stage: process.argv[2] === 'prod' ? 'prod' : 'dev',
  emulated: true,
  terminationProtection: false,
  replacements,
});
// The emulator supports neither alarms over sums of metrics nor the style of a login.
for (const part of stack.node.findAll()) {
  if (part instanceof Alarm || part instanceof CfnManagedLoginBranding)
    part.node.scope?.node.tryRemoveChild(part.node.id);
}
