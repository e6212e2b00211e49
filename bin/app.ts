import { execFileSync } from 'node:child_process';
import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../lib/deployment-options.ts';
import { STAGES } from '../lib/stage.ts';
import { addressOfFiles, VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
const options = readDeploymentOptions(app.node);
const stackName = options.stackName ?? STAGES[options.stage ?? 'prod'].stackName;
new VaWaveStack(app, stackName, {
  ...options,
  // With `-dirty` when files differ from the commit.
  commit: git('describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'),
  addressOfFiles: addressOfFiles(git('config', '--get', 'remote.origin.url') ?? ''),
});

/** Returns what git prints; undefined outside of a repository. */
function git(...words: readonly string[]): string | undefined {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
