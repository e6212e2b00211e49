import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { VaWaveStack } from '../lib/va-wave-stack.ts';
import type { ComposeApp } from './cloud/template/synthesis-worker.ts';

/** The local network rule allows endpoints on loopback, and the local transport sends no call over HTTP. bin/ never uses them. */
const REPLACEMENTS = {
  '#network-rule': fileURLToPath(new URL('./network-rule.ts', import.meta.url)),
  '#aws-transport': fileURLToPath(new URL('./aws-transport.ts', import.meta.url)),
};

/** The app of bin/app.ts, unless it is `strict` with the replacements as its one difference. */
const compose: ComposeApp = (app, { strict, deliveryConcurrency }) => {
  const service = new App(app);
  new VaWaveStack(service, 'VaWave', {
    ...(strict === undefined ? { replacements: REPLACEMENTS } : {}),
    ...(deliveryConcurrency === undefined ? {} : { deliveryConcurrency: Number(deliveryConcurrency) }),
  });
  return service;
};

export default compose;
