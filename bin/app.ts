import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { RefusedSettings, readDeploymentOptions } from '../lib/deployment-options.ts';
import { addressOfFiles, VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
try {
  // The CDK reads a file with a byte order mark too.
  const text = existsSync('cdk.json') ? readFileSync('cdk.json', 'utf8').replace(/^\ufeff/, '') : '{}';
  const file = JSON.parse(text).context;
  // The command line of the CDK deploys to this region.
  const options = readDeploymentOptions(app.node, file, process.env.CDK_DEFAULT_REGION);
  new VaWaveStack(app, options.stackName, {
    ...options,
    // With `-dirty` when files differ from the commit.
    commit: git('describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'),
    addressOfFiles: addressOfFiles(git('config', '--get', 'remote.origin.url') ?? ''),
  });
} catch (error) {
  if (!(error instanceof RefusedSettings)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** Returns what git prints; undefined outside of a repository. */
function git(...words: readonly string[]): string | undefined {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
