import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';

/**
 * The same app as bin/app.ts for the emulator: the stage that leaves nothing behind, without what the emulator does not have, and with
 * the network rule of this machine, without which no endpoint on loopback could be called.
 */
const app = new App();
const options = readDeploymentOptions(app.node);
const networkRule = fileURLToPath(new URL('../../../local/network-rule.ts', import.meta.url));
new VaWaveStack(app, options.stackName ?? 'VaWave', { ...options, stage: 'dev', emulated: true, networkRule });
