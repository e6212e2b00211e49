import { execFileSync } from 'node:child_process';
import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../lib/deployment-options.ts';
import { STAGES } from '../lib/stage.ts';
import { VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
const options = readDeploymentOptions(app.node);
const stackName = options.stackName ?? STAGES[options.stage ?? 'prod'].stackName;
new VaWaveStack(app, stackName, { ...options, commit: commit() });

/** Returns the commit that is deployed, with `-dirty` when files differ from it; undefined outside of a repository. */
function commit(): string | undefined {
  try {
    const words = ['describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
