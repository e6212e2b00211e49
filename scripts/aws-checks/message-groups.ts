import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageText } from '../../src/adapters/message-text.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, type Deployment, expectThat } from './check.ts';
import { receive, withQueue } from './temporary-queue.ts';

/** Uses a temporary rule on the stack's bus with the same target settings as the stack's rule, and a temporary queue. */
export const groupOfEvents: Check = {
  name: 'EventBridge sets the message group of a standard queue from $.detail.org_id',
  run: (deployment) =>
    withRule(deployment, async (ruled) => {
      const { queued } = await arrivalOf({ org_id: 'org_verification', data: {} }, ruled);
      const group = queued?.Attributes?.MessageGroupId;
      expectThat(group === 'org_verification', `the message has the group ${group}`);
      return `group ${group}`;
    }),
};

/** An event without an organization id, or with one that SQS refuses as a group, must reach the queue or the dead-letter queue. */
export const eventsWithoutGroup: Check = {
  name: 'The rule loses no event without a usable org_id',
  run: (deployment) =>
    withRule(deployment, async (ruled) => {
      const seen: string[] = [];
      for (const [what, detail] of [
        ['without org_id', { data: {} }],
        ['of 200 characters', { org_id: 'o'.repeat(200), data: {} }],
        ['with a space', { org_id: 'org one', data: {} }],
      ] as const) {
        const { queued } = await arrivalOf(detail, ruled);
        const where =
          queued === undefined ? 'dead-letter queue' : `queue, in the group ${queued.Attributes?.MessageGroupId}`;
        seen.push(`${what}: ${where}`);
      }
      return seen.join('; ');
    }),
};

/** AWS does not document what EventBridge makes of an escape in the detail. SQS takes no raw U+FFFF. */
export const escapesInEvents: Check = {
  name: 'An event with an escaped U+FFFF reaches the queue with its value',
  run: (deployment) =>
    withRule(deployment, async (ruled) => {
      const text = 'https://x/\uffff';
      const { queued } = await arrivalOf({ org_id: 'org_verification', data: { text } }, ruled);
      expectThat(queued !== undefined, 'the event is in the dead-letter queue');
      const { detail }: { detail: { data: { text: string } } } = JSON.parse(queued?.Body ?? '');
      expectThat(detail.data.text === text, `the text arrived as ${JSON.stringify(detail.data.text)}`);
      return 'the text is unchanged';
    }),
};

type Ruled = {
  readonly sqs: SQSClient;
  readonly url: string;
  readonly deadLetters: { readonly url: string };
  readonly put: (detail: object) => Promise<void>;
};

/** Puts an event on the bus until it arrives: a new rule does not take effect at once. @throws Error when it does not arrive */
async function arrivalOf(detail: object, { sqs, url, put, deadLetters }: Ruled) {
  for (let attempts = 0; attempts < 10; attempts++) {
    await put(detail);
    const [queued, dead] = await Promise.all(
      [url, deadLetters.url].map((at) => receive(sqs, at, 10).catch(() => undefined)),
    );
    if (queued !== undefined || dead !== undefined) return { queued };
  }
  throw new Error(`${JSON.stringify(detail)} is neither in the queue nor in the dead-letter queue`);
}

/** Runs a check with a temporary rule. Its target has the message group of the deployed rule and a temporary dead-letter queue. */
async function withRule(deployment: Deployment, check: (ruled: Ruled) => Promise<string>): Promise<string> {
  return withQueue(deployment, ({ sqs, url, arn }) =>
    withQueue(deployment, async (deadLetters) => {
      const events = new EventBridgeClient(deployment.access);
      const bus = deployment.output(OUTPUTS.eventBus);
      const { Rules = [] } = await events.send(new ListRulesCommand({ EventBusName: bus }));
      const catalog = Rules.find(({ EventPattern }) => EventPattern?.includes('conversation.started'))?.Name;
      const { Targets = [] } = await events.send(new ListTargetsByRuleCommand({ EventBusName: bus, Rule: catalog }));
      const path = Targets[0]?.SqsParameters?.MessageGroupId;
      expectThat(path === '$.detail.org_id', `the deployed rule has the group ${path}`);
      const Name = `va-wave-verify-${Date.now()}`;
      const detailType = 'va-wave.verification';
      await events.send(
        new PutRuleCommand({ Name, EventBusName: bus, EventPattern: JSON.stringify({ 'detail-type': [detailType] }) }),
      );
      try {
        const { Arn: ruleArn = '' } = await events.send(new DescribeRuleCommand({ Name, EventBusName: bus }));
        await allowRule(sqs, url, arn, ruleArn);
        await allowRule(sqs, deadLetters.url, deadLetters.arn, ruleArn);
        const target = {
          Id: 'queue',
          Arn: arn,
          SqsParameters: { MessageGroupId: path },
          DeadLetterConfig: { Arn: deadLetters.arn },
        };
        await events.send(new PutTargetsCommand({ Rule: Name, EventBusName: bus, Targets: [target] }));
        return await check({
          sqs,
          url,
          deadLetters,
          put: async (detail) => {
            const entry = { EventBusName: bus, Source: 'verification', DetailType: detailType };
            await events.send(new PutEventsCommand({ Entries: [{ ...entry, Detail: messageText(detail) }] }));
          },
        });
      } finally {
        await events.send(new RemoveTargetsCommand({ Rule: Name, EventBusName: bus, Ids: ['queue'] }));
        await events.send(new DeleteRuleCommand({ Name, EventBusName: bus }));
      }
    }),
  );
}

async function allowRule(sqs: SQSClient, url: string, arn: string, ruleArn: string): Promise<void> {
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
    withQueue(deployment, async ({ sqs, url }) => {
      const sent = Date.now();
      await sqs.send(
        new SendMessageCommand({ QueueUrl: url, MessageBody: 'retry', MessageGroupId: 'act_1', DelaySeconds: 4 }),
      );
      const message = await receive(sqs, url, 30);
      const seconds = (Date.now() - sent) / 1000;
      expectThat(seconds >= 3.9 && seconds < 10, `the message arrived after ${seconds.toFixed(1)} s`);
      const group = message.Attributes?.MessageGroupId;
      expectThat(group === 'act_1', `the message has the group ${group}`);
      return `after ${seconds.toFixed(1)} s, in its group`;
    }),
};
