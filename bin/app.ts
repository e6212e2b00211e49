import { App } from 'aws-cdk-lib';
import { readDeploymentOptions } from '../lib/deployment-options.ts';
import { STAGES } from '../lib/stage.ts';
import { VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
const options = readDeploymentOptions(app.node);
new VaWaveStack(app, options.stackName ?? STAGES[options.stage ?? 'prod'].stackName, options);
