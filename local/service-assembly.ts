import { fileURLToPath } from 'node:url';
import { synthesize } from './cloud/template/synthesize.ts';

const SERVICE_APP = new URL('./service-app.ts', import.meta.url);
const CONFIGURATION = new URL('../cdk.json', import.meta.url);
const NETWORK_RULE = fileURLToPath(new URL('./network-rule.ts', import.meta.url));

/**
 * Synthesizes the service into a folder, for one or several machines to run.
 * @param outdir absolute; created if need be
 * @param options strict: the bundles of bin/app.ts unchanged, which refuse endpoints on loopback
 * @throws CloudError when the app does not synthesize
 */
export function assembleService(outdir: string, options: { readonly strict?: boolean } = {}): Promise<void> {
  const networkRule = options.strict === true ? undefined : NETWORK_RULE;
  return synthesize({ url: SERVICE_APP, options: { networkRule }, configuration: CONFIGURATION }, outdir);
}
