import { fileURLToPath } from 'node:url';
import { synthesize } from './cloud/template/synthesize.ts';
import { hashOf, keepAssembly } from './kept-assembly.ts';

/** The sources of a synthesis. Whole folders are listed: an unneeded file causes a slower start, a missing file a wrong assembly. */
const SOURCES = [
  'lib',
  'lambdas',
  'src',
  'local',
  'widget',
  'dashboard',
  'packages',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  // The installed packages, which can differ from the lock file.
  'node_modules/.package-lock.json',
];
/** The environment variables that the CDK, Vite and React read. */
const VARIABLES = /^(?:CDK_|VITE_|NODE_ENV$)/;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SERVICE_APP = new URL('./service-app.ts', import.meta.url);
const CONFIGURATION = new URL('../cdk.json', import.meta.url);

/**
 * Synthesizes the service into a folder, for one or several machines to run.
 * @param outdir absolute; created if need be
 * @param options strict: the bundles of bin/app.ts unchanged, which refuse endpoints on loopback; deliveryConcurrency: as `cdk deploy` takes it
 * @throws CloudError when the app does not synthesize
 */
export function assembleService(
  outdir: string,
  { strict = false, deliveryConcurrency }: { readonly strict?: boolean; readonly deliveryConcurrency?: number } = {},
): Promise<void> {
  const options = {
    strict: strict ? 'true' : undefined,
    deliveryConcurrency: deliveryConcurrency?.toString(),
  };
  return synthesize({ url: SERVICE_APP, options, configuration: CONFIGURATION }, outdir);
}

/**
 * Synthesizes like `assembleService`, but keeps an existing assembly while the repository, its packages and the version of Node are
 * the same.
 */
export function keepServiceAssembled(outdir: string, options: { readonly strict: boolean }): Promise<void> {
  const environment = Object.entries(process.env)
    .filter(([name]) => VARIABLES.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const values = [process.version, process.arch, JSON.stringify(options), ...environment];
  return keepAssembly(
    outdir,
    () => hashOf(ROOT, SOURCES, values),
    (folder) => assembleService(folder, options),
  );
}
