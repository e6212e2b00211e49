import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleService } from '../../local/service-assembly.ts';

export type BundledFunction = { readonly name: string; readonly bundle: string };
export type SqsHandler = (event: object, context: object) => Promise<{ readonly batchItemFailures: readonly object[] }>;

type Template = {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: { readonly Code?: { readonly S3Key: string } } }>
  >;
};

const TEMPLATE = 'VaWave.template.json';

/**
 * Synthesizes the service once per folder and lists the bundles that a deployment would use.
 * @param strict false for the local network rule, which allows endpoints on loopback
 */
export async function bundledFunctions(folder: string, strict: boolean): Promise<readonly BundledFunction[]> {
  const outdir = join(folder, strict ? 'strict' : 'local');
  if (!existsSync(join(outdir, TEMPLATE))) await assembleService(outdir, { strict });
  return functionsOf(outdir);
}

/** Lists the bundles in a cloud assembly of the service. */
export function functionsOf(outdir: string): readonly BundledFunction[] {
  const template: Template = JSON.parse(readFileSync(join(outdir, TEMPLATE), 'utf8'));
  return Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) => {
    // The CDK's own functions, which deploy assets, are CommonJS.
    const bundle = join(outdir, `asset.${Properties.Code?.S3Key.replace('.zip', '')}`, 'index.mjs');
    if (Type !== 'AWS::Lambda::Function' || !existsSync(bundle)) return [];
    return [{ name: kebabCase(id.replace(/Function[0-9A-F]{8}$/, '')), bundle }];
  });
}

/** Returns the path of a function's bundle. @param name the function's folder in lambdas/, with or without its construct as a prefix */
export function bundleOf(functions: readonly BundledFunction[], name: string): string {
  const found = functions.find((one) => one.name === name || one.name.endsWith(`-${name}`));
  if (found === undefined) throw new Error(`The stack has no function ${name}`);
  return found.bundle;
}

const kebabCase = (name: string) => name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
