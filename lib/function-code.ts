import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

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

/**
 * Bundles one function in this process. NodejsFunction starts a process per function, which takes three times as long.
 * @param folder below lambdas/, with a handler.ts
 * @param networkRule path of the module that replaces `#network-rule`
 */
export function functionCode(folder: string, networkRule?: string): AssetCode {
  return Code.fromAsset(`${lambdas}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // This image is never pulled, because tryBundle always succeeds or throws. The type requires one.
      image: DockerImage.fromRegistry('scratch'),
      local: {
        tryBundle(outputFolder) {
          bundleHandler(`${lambdas}${folder}/handler.ts`, `${outputFolder}/index.mjs`, networkRule);
          copyFileSync(notices, `${outputFolder}/${NOTICES}`);
          return true;
        },
      },
    },
  });
}

/** Writes the bundle of one handler. */
export function bundleHandler(entry: string, outfile: string, networkRule?: string): void {
  const rule: Record<string, string> = networkRule === undefined ? {} : { '#network-rule': networkRule };
  bundle(entry, outfile, { ...FUNCTION_CREDENTIALS, ...rule });
}

/** Writes a single ES module that contains everything except Node's own modules. @param alias replacements of modules */
export function bundle(entry: string, outfile: string, alias: Record<string, string> = {}): void {
  buildSync({
    entryPoints: [entry],
    outfile,
    alias,
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
  });
}
