import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { type AssetCode, Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

const lambdas = fileURLToPath(new URL('../lambdas/', import.meta.url));

/** A copy of somebody's software comes with its license, and a bundle is one. The file is never read, and costs a cold start nothing. */
const NOTICES = 'THIRD-PARTY-NOTICES.md';
const notices = fileURLToPath(new URL(`../${NOTICES}`, import.meta.url));

/** Credentials from the environment alone, where Lambda puts them. */
const FUNCTION_CREDENTIALS = {
  '@aws-sdk/credential-provider-node': fileURLToPath(
    new URL('../src/adapters/function-credentials.ts', import.meta.url),
  ),
};

/**
 * The bundle of one function, made in this process: a process per function, as NodejsFunction starts, takes three times as long.
 * @param folder below lambdas/, with a handler.ts
 * @param networkRule replaces the module behind `#network-rule`
 */
export function functionCode(folder: string, networkRule?: string): AssetCode {
  return Code.fromAsset(`${lambdas}${folder}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never pulled: tryBundle always succeeds or throws. The type wants one.
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

/** Writes a single ES module with everything but Node's own modules. @param alias modules that stand for others */
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
    // Names stay: a stack trace in the log is read by people, and the file has no source map beside it.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    // Some dependencies are CommonJS and call require() for Node's own modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
}
