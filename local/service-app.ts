import { App } from 'aws-cdk-lib';
import { VaWaveStack } from '../lib/va-wave-stack.ts';
import type { ComposeApp } from './cloud/template/synthesis-worker.ts';

/**
 * The same app as bin/app.ts. Its one difference is the one thing that bin/ never passes: the network rule of this
 * machine, without which no endpoint on loopback could be called.
 */
const compose: ComposeApp = (app, { networkRule }) => {
  const service = new App(app);
  new VaWaveStack(service, 'VaWave', networkRule === undefined ? {} : { networkRule });
  return service;
};

export default compose;
