import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { replaceModules } from '../lib/bundles.ts';
import { VaWaveStack } from '../lib/va-wave-stack.ts';

/**
 * The app of bin/app.ts without its options. Unless the context is `strict`, one thing differs: the local network rule allows endpoints
 * on loopback, and the local transport sends no call over HTTP. bin/ never uses these replacements.
 */
const app = new App();
const isStrict = app.node.tryGetContext('strict') === true;
const replacements = {
  '#network-rule': fileURLToPath(new URL('./network-rule.ts', import.meta.url)),
  '#aws-transport': fileURLToPath(new URL('./aws-transport.ts', import.meta.url)),
};
if (!isStrict) replaceModules(replacements);
new VaWaveStack(app, 'VaWave');
