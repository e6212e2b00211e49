import { App } from 'aws-cdk-lib';
import { VaWaveStack } from '../lib/va-wave-stack.ts';

const app = new App();
new VaWaveStack(app, 'VaWave', {
  // -c alarmTopicArn=arn:aws:sns:…
  alarmTopicArn: app.node.tryGetContext('alarmTopicArn'),
});
