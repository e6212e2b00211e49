import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { RefusedSettings, readDeploymentOptions } from '../lib/deployment-options.ts';
import { addressOfFiles, VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
try {
  // The context of the app has the options of cdk.json and of `-c` together, so the file is read for those of its own. It may begin with a byte order mark.
  const text = existsSync('cdk.json') ? readFileSync('cdk.json', 'utf8').replace(/^\ufeff/, '') : '{}';
  const contextOfFile = JSON.parse(text).context;
  // The CDK's command line sets these variables to the place to which it deploys.
  const { CDK_DEFAULT_REGION, CDK_DEFAULT_ACCOUNT } = process.env;
  const options = readDeploymentOptions(app.node, contextOfFile, CDK_DEFAULT_REGION, CDK_DEFAULT_ACCOUNT);
  new VaWaveStack(app, options.stackName, {
    ...options,
    // The first digits of the commit and no tag (`--exclude`), with `-dirty` when files differ from it.
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
