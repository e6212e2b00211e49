import { App } from 'aws-cdk-lib';
import { VaWaveStack } from '../lib/va-wave-stack.ts';
import type { ComposeApp } from './cloud/template/synthesis-worker.ts';

/**
 * The app of bin/app.ts with one difference: the local network rule, which allows endpoints on loopback. bin/ never uses this rule.
 */
const compose: ComposeApp = (app, { networkRule, deliveryConcurrency }) => {
  const service = new App(app);
  new VaWaveStack(service, 'VaWave', {
    ...(networkRule === undefined ? {} : { networkRule }),
    ...(deliveryConcurrency === undefined ? {} : { deliveryConcurrency: Number(deliveryConcurrency) }),
  });
  return service;
};

export default compose;
