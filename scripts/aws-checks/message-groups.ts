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
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, expectThat } from './check.ts';
import { receive, withQueue } from './temporary-queue.ts';

/** The same target as the stack's rule has, on its bus, for an event of its own and a queue that nobody else reads. */
export const groupOfEvents: Check = {
  name: 'EventBridge takes the message group of a standard queue from $.detail.org_id',
  run: (deployment) =>
    withQueue(deployment, async ({ sqs, url, arn }) => {
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
        const target = { Id: 'queue', Arn: arn, SqsParameters: { MessageGroupId: path } };
        await events.send(new PutTargetsCommand({ Rule: Name, EventBusName: bus, Targets: [target] }));
        // A new rule takes a while to be seen everywhere.
        for (let tries = 0; tries < 10; tries++) {
          const Detail = JSON.stringify({ org_id: 'org_verification', data: {} });
          const entry = { EventBusName: bus, Source: 'verification', DetailType: detailType, Detail };
          await events.send(new PutEventsCommand({ Entries: [entry] }));
          const message = await receive(sqs, url, 10).catch(() => undefined);
          if (message === undefined) continue;
          const group = message.Attributes?.MessageGroupId;
          expectThat(group === 'org_verification', `the message has the group ${group}`);
          return `group ${group}`;
        }
        throw new Error('No event reached the queue');
      } finally {
        await events.send(new RemoveTargetsCommand({ Rule: Name, EventBusName: bus, Ids: ['queue'] }));
        await events.send(new DeleteRuleCommand({ Name, EventBusName: bus }));
      }
    }),
};

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

/** What a retry message is: delayed, and in its Action's group. */
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
      expectThat(seconds >= 3.9 && seconds < 10, `it came after ${seconds.toFixed(1)} s`);
      const group = message.Attributes?.MessageGroupId;
      expectThat(group === 'act_1', `it came with the group ${group}`);
      return `after ${seconds.toFixed(1)} s, in its group`;
    }),
};
