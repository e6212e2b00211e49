import { copyFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { FUNCTIONS, type FunctionName } from '../src/deployment/outputs.ts';

const lambdas = fileURLToPath(new URL('../lambdas/', import.meta.url));

/** A bundle contains software of third parties, so their licenses are next to it. No code reads the file, so it does not slow a cold start. */
const NOTICES = 'THIRD-PARTY-NOTICES.md';
const notices = fileURLToPath(new URL(`../${NOTICES}`, import.meta.url));

/** Reads the credentials from the environment only, where Lambda provides them. */
const FUNCTION_CREDENTIALS = {
  '@aws-sdk/credential-provider-node': fileURLToPath(
    new URL('../src/adapters/function-credentials.ts', import.meta.url),
  ),
};

/** A single ES module that contains everything except Node's own modules. */
const BUNDLE = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  // Names are kept, because engineers read stack traces in the log and there is no source map.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // Some dependencies are CommonJS modules and call require() for Node's own modules.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
} satisfies BuildOptions;

/** Paths of modules, by the names of those that they replace in the bundles: `#network-rule`, `#aws-transport`. */
export type Replacements = Readonly<Record<string, string>>;

/** The bundles of all functions, by the replacements in them. */
const bundled = new Map<string, ReadonlyMap<string, Uint8Array>>();

/**
 * Returns the code of one function, bundled in this process. NodejsFunction starts a process per function, which takes three times as long.
 * @param folder below lambdas/, with a handler.ts
 */
export function functionCode(folder: FunctionName, replacements: Replacements): AssetCode {
  return Code.fromAsset(`${lambdas}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // This image is never pulled, because tryBundle always succeeds or throws. The type requires one.
      image: DockerImage.fromRegistry('scratch'),
      local: {
        tryBundle(outputFolder) {
          writeFileSync(`${outputFolder}/index.mjs`, bundleOf(folder, replacements));
          copyFileSync(notices, `${outputFolder}/${NOTICES}`);
          return true;
        },
      },
    },
  });
}

function bundleOf(folder: FunctionName, replacements: Replacements): Uint8Array {
  const key = JSON.stringify(replacements);
  const bundles = bundled.get(key) ?? bundleFunctions(replacements);
  bundled.set(key, bundles);
  const bundle = bundles.get(folder);
  if (bundle === undefined) throw new Error(`esbuild made no bundle of ${folder}`);
  return bundle;
}

/** Bundles all functions in one build, which parses each module once and takes half the time of one build per function. */
function bundleFunctions(replacements: Replacements): ReadonlyMap<string, Uint8Array> {
  const { outputFiles } = buildSync({
    ...BUNDLE,
    entryPoints: FUNCTIONS.map((folder) => ({ in: `${lambdas}${folder}/handler.ts`, out: folder })),
    alias: { ...FUNCTION_CREDENTIALS, ...replacements },
    outdir: lambdas,
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path, '.js'), contents]));
}

/** Bundles a module that is no function of the service, without replacements. */
export function bundle(entry: string, outfile: string): void {
  buildSync({ ...BUNDLE, entryPoints: [entry], outfile });
}
