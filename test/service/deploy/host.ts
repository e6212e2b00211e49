import { App, RemovalPolicies, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { VaWave } from '../../../lib/va-wave.ts';
import { leaveOutUnknown } from './emulated.ts';

/** An app with a stack that has something of its own, and the construct in production when the context names its `service`. */
const app = new App();
const read = (name: string): string | undefined => app.node.tryGetContext(name);
const stack = new Stack(app, 'Host', { stackName: read('named') ?? 'Host' });
new Queue(stack, 'Own');
const id = read('service');
if (id !== undefined) {
  const service = new VaWave(stack, id);
  if (read('everything') === 'retained') RemovalPolicies.of(service).retain();
}
leaveOutUnknown(stack);
