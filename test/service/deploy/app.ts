import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { replaceModules } from '../../../lib/bundles.ts';
import { readDeploymentOptions } from '../../../lib/deployment-options.ts';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';
import { leaveOutUnknown } from './emulated.ts';

/**
 * The app of bin/app.ts for the emulator, without what the emulator does not support, and with the local network rule, which allows endpoints on
 * loopback. It uses the development stage, which deletes everything with the stack, except with the argument `prod`; with `chosen`, the stage of the
 * options with its termination protection.
 */
const app = new App();
const file = existsSync('cdk.json') ? JSON.parse(readFileSync('cdk.json', 'utf8')).context : {};
const options = readDeploymentOptions(app.node, file, process.env.CDK_DEFAULT_REGION, process.env.CDK_DEFAULT_ACCOUNT);
// Other code of the functions, for a release: the strict rule.
if (process.env.EMULATED_RULE !== 'strict')
  replaceModules({ '#network-rule': fileURLToPath(new URL('../../../local/network-rule.ts', import.meta.url)) });
const stack = new VaWaveStack(app, options.stackName ?? 'VaWave', {
  ...options,
  ...(process.argv[2] === 'chosen'
    ? {}
    : { stage: process.argv[2] === 'prod' ? ('prod' as const) : ('dev' as const), terminationProtection: false }),
});
leaveOutUnknown(stack, process.env.EMULATED_RELEASE);
