import {
  DeleteRuleCommand,
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { type Message, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { messageText } from '../../src/adapters/message-text.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, type Deployment, expectThat } from './check.ts';
import { receive, type TemporaryQueue, withQueue } from './temporary-queue.ts';

/** Puts an event on the bus until it arrives. Resolves to the queued message, or undefined when it is in the dead-letter queue. */
type Arrival = (detail: object) => Promise<Message | undefined>;

/** AWS documents message groups of a rule's target for FIFO queues only. */
export const groupOfEvents: Check = {
  name: 'EventBridge sets the message group of a standard queue from $.detail.org_id',
  run: withRule(async (arrivalOf) => {
    const group = (await arrivalOf({ org_id: 'org_verification', data: {} }))?.Attributes?.MessageGroupId;
    expectThat(group === 'org_verification', `the message has the group ${group}`);
    return `group ${group}`;
  }),
};

/** An event without an organization id, or with one that SQS refuses as a group, must reach the queue or the dead-letter queue. */
export const eventsWithoutGroup: Check = {
  name: 'The rule loses no event without a usable org_id',
  run: withRule(async (arrivalOf) => {
    const seen: string[] = [];
    for (const org_id of [undefined, 'o'.repeat(200), 'org one']) {
      const message = await arrivalOf({ org_id, data: {} });
      const where = message === undefined ? 'dead-letter queue' : `queue, group ${message.Attributes?.MessageGroupId}`;
      seen.push(`${org_id?.slice(0, 10)}: ${where}`);
    }
    return seen.join('; ');
  }),
};

/** AWS does not document what EventBridge makes of an escape in the detail. SQS takes no raw U+FFFF. */
export const escapesInEvents: Check = {
  name: 'An event with an escaped U+FFFF reaches the queue with its value',
  run: withRule(async (arrivalOf) => {
    const text = 'https://x/\uffff';
    const message = await arrivalOf({ org_id: 'org_verification', data: { text } });
    expectThat(message !== undefined, 'the event is in the dead-letter queue');
    const { detail }: { detail: { data: { text: string } } } = JSON.parse(message?.Body ?? '');
    expectThat(detail.data.text === text, `the text arrived as ${JSON.stringify(detail.data.text)}`);
    return 'the text is unchanged';
  }),
};

/** Returns a check with a temporary rule on the stack's bus. Its target has the settings of the deployed rule's, and temporary queues. */
function withRule(check: (arrivalOf: Arrival) => Promise<string>) {
  return (deployment: Deployment) =>
    withQueue(deployment, (queue) =>
      withQueue(deployment, async (deadLetters) => {
        const events = new EventBridgeClient(deployment.access);
        const EventBusName = deployment.output(OUTPUTS.eventBus);
        const { Rules = [] } = await events.send(new ListRulesCommand({ EventBusName }));
        const catalog = Rules.find(({ EventPattern }) => EventPattern?.includes('conversation.started'))?.Name;
        const { Targets = [] } = await events.send(new ListTargetsByRuleCommand({ EventBusName, Rule: catalog }));
        const SqsParameters = Targets[0]?.SqsParameters;
        const Name = `va-wave-verify-${Date.now()}`;
        const DetailType = 'va-wave.verification';
        const EventPattern = JSON.stringify({ 'detail-type': [DetailType] });
        const { RuleArn } = await events.send(new PutRuleCommand({ Name, EventBusName, EventPattern }));
        try {
          for (const target of [queue, deadLetters]) await allowRule(target, RuleArn);
          const target = { Id: 'queue', Arn: queue.arn, SqsParameters, DeadLetterConfig: { Arn: deadLetters.arn } };
          await events.send(new PutTargetsCommand({ Rule: Name, EventBusName, Targets: [target] }));
          return await check(async (detail) => {
            const Detail = messageText(detail);
            // A new rule does not take effect at once.
            for (let attempts = 0; attempts < 10; attempts++) {
              await events.send(
                new PutEventsCommand({ Entries: [{ EventBusName, Source: 'verification', DetailType, Detail }] }),
              );
              const [queued, dead] = await Promise.all([queue, deadLetters].map((at) => receive(at, 10)));
              if (queued !== undefined || dead !== undefined) return queued;
            }
            throw new Error(`${Detail} is neither in the queue nor in the dead-letter queue`);
          });
        } finally {
          await events.send(new RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ['queue'] }));
          await events.send(new DeleteRuleCommand({ Name, EventBusName }));
        }
      }),
    );
}

async function allowRule({ sqs, url, arn }: TemporaryQueue, ruleArn: string | undefined): Promise<void> {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: arn,
    Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
}

/** A retry message is delayed and belongs to the group of its Action. */
export const delayWithGroup: Check = {
  name: 'SQS delays a single message of a group on a standard queue',
  run: (deployment) =>
    withQueue(deployment, async (queue) => {
      const sent = Date.now();
      const message = { QueueUrl: queue.url, MessageBody: 'retry', MessageGroupId: 'act_1', DelaySeconds: 4 };
      await queue.sqs.send(new SendMessageCommand(message));
      const group = (await receive(queue, 30))?.Attributes?.MessageGroupId;
      const seconds = (Date.now() - sent) / 1000;
      expectThat(seconds >= 3.9 && seconds < 10, `the message arrived after ${seconds.toFixed(1)} s`);
      expectThat(group === 'act_1', `the message has the group ${group}`);
      return `after ${seconds.toFixed(1)} s, in its group`;
    }),
};
