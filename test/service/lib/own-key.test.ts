import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Archive, EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { allowServices } from '../../../lib/own-key.ts';
import { matchesWildcard } from '../../../local/cloud/access/policies.ts';

/** Returns the actions that the policy of the only key allows EventBridge. */
function actionsOfEvents(build: (stack: Stack, key: Key) => void): string[] {
  const stack = new Stack(new App(), 'Stack');
  build(stack, new Key(stack, 'Key'));
  const [key] = Object.values(Template.fromStack(stack).findResources('AWS::KMS::Key'));
  const statements: { Action: string | string[]; Principal: { Service?: string } }[] =
    key?.Properties.KeyPolicy.Statement;
  return statements.flatMap(({ Action, Principal }) =>
    Principal.Service === 'events.amazonaws.com' ? [Action].flat() : [],
  );
}

const ours = actionsOfEvents((_, key) => allowServices(key));

test.each<[string, (stack: Stack, key: Key) => void]>([
  [
    'an archive',
    (stack, kmsKey) => {
      new Archive(stack, 'Archive', {
        sourceEventBus: new EventBus(stack, 'Bus'),
        kmsKey,
        eventPattern: { source: ['a'] },
      });
    },
  ],
  [
    'a queue',
    (stack, encryptionMasterKey) => {
      const queue = new Queue(stack, 'Queue', { encryptionMasterKey });
      new Rule(stack, 'Rule', { eventPattern: { source: ['a'] }, targets: [new SqsQueue(queue)] });
    },
  ],
])("the key's policy allows EventBridge what the CDK allows it for %s", (_, build) => {
  const theirs = actionsOfEvents(build);
  expect(theirs.length).toBeGreaterThan(0);
  const isAllowed = (action: string) => ours.some((pattern) => matchesWildcard(pattern, action));
  expect(theirs.filter((action) => !isAllowed(action))).toEqual([]);
});
