/**
 * Checks a real deployment for behaviour of AWS that no local test can prove (docs/verification.md):
 *
 *     node scripts/verify-on-aws.ts [--stack VaWave] [--region eu-west-1]
 *
 * The script deletes everything that it creates.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as bridge from '@aws-sdk/client-eventbridge';
import * as sqs from '@aws-sdk/client-sqs';
import { stackOutputs } from '../src/adapters/aws-account.ts';
import type { AwsAccess } from '../src/adapters/aws-clients.ts';
import { messageText } from '../src/contract/queues.ts';
import { OUTPUTS } from '../src/deployment/outputs.ts';

const options = { stack: { type: 'string', default: 'VaWave' }, region: { type: 'string' } } as const;
const { stack, region } = parseArgs({ options }).values;
const access: AwsAccess = region === undefined ? {} : { region };
const outputs = await stackOutputs(stack, access);
const queues = new sqs.SQSClient(access);
const events = new bridge.EventBridgeClient(access);

/** The most that EventBridge and SQS take; EventBridge puts more into the queue than an entry has. */
const ENTRY_MAX_BYTES = 1_048_576;

let failed = 0;
function report(check: string, holds: boolean, seen: string): void {
  if (!holds) failed++;
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${check}: ${seen}`);
}

/** Receives one message. Resolves to undefined when none arrives in this time. */
async function receive(QueueUrl: string, seconds: number): Promise<sqs.Message | undefined> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const asked = { QueueUrl, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['MessageGroupId' as const] };
    const { Messages } = await queues.send(new sqs.ReceiveMessageCommand(asked));
    if (Messages?.[0] !== undefined) return Messages[0];
  }
  return undefined;
}

/** Puts events on the stack's bus. A temporary rule, with the target settings of the deployed one, sends them to temporary queues. */
async function checkEvents(queue: { url: string; arn: string }, deadLetters: { url: string; arn: string }) {
  const EventBusName = outputs[OUTPUTS.eventBus];
  const { Rules = [] } = await events.send(new bridge.ListRulesCommand({ EventBusName }));
  const Rule = Rules.find(({ EventPattern }) => EventPattern?.includes('conversation.started'))?.Name;
  const { Targets = [] } = await events.send(new bridge.ListTargetsByRuleCommand({ EventBusName, Rule }));
  const Name = `va-wave-verify-${Date.now()}`;
  const DetailType = 'va-wave.verification';
  const EventPattern = JSON.stringify({ 'detail-type': [DetailType] });
  await events.send(new bridge.PutRuleCommand({ Name, EventBusName, EventPattern }));
  try {
    const SqsParameters = Targets[0]?.SqsParameters;
    const target = { Id: 'queue', Arn: queue.arn, SqsParameters, DeadLetterConfig: { Arn: deadLetters.arn } };
    await events.send(new bridge.PutTargetsCommand({ Rule: Name, EventBusName, Targets: [target] }));
    /** Puts an event on the bus until it arrives, because a new rule does not take effect at once. Undefined means the dead-letter queue. */
    const arrivalOf = async (detail: object) => {
      const Entries = [{ EventBusName, Source: 'verification', DetailType, Detail: messageText(detail) }];
      for (let attempts = 0; attempts < 10; attempts++) {
        await events.send(new bridge.PutEventsCommand({ Entries }));
        const [queued, dead] = await Promise.all([receive(queue.url, 10), receive(deadLetters.url, 10)]);
        if (queued !== undefined || dead !== undefined) return queued;
      }
      throw new Error(`An event of ${JSON.stringify(detail)} is in neither queue`);
    };
    const org_id = 'org_verification';
    const group = (await arrivalOf({ org_id, data: {} }))?.Attributes?.MessageGroupId;
    report('EventBridge sets the group of a standard queue from $.detail.org_id', group === org_id, `group ${group}`);
    for (const unusable of [undefined, 'o'.repeat(200), 'org one']) {
      const where = (await arrivalOf({ org_id: unusable, data: {} })) === undefined ? 'dead-letter queue' : 'queue';
      report('The rule does not lose an event without a usable org_id', true, `${unusable?.slice(0, 9)}: ${where}`);
    }
    const data = { text: 'https://x/\uffff' };
    const body = (await arrivalOf({ org_id, data }))?.Body;
    const isSame = body !== undefined && JSON.parse(body).detail.data.text === data.text;
    report('An event with an escaped U+FFFF reaches the queue with its value', isSame, body ?? 'dead-letter queue');
    const entry = { EventBusName, Source: 'verification', DetailType };
    const rest = `${entry.Source}${DetailType}{"a":""}`.length;
    const Detail = JSON.stringify({ a: 'x'.repeat(ENTRY_MAX_BYTES - rest) });
    const { Entries } = await events
      .send(new bridge.PutEventsCommand({ Entries: [{ ...entry, Detail }] }))
      .catch(({ name }: Error) => ({ Entries: [{ ErrorCode: name }] }));
    const refusal = Entries?.[0]?.ErrorCode;
    report('PutEvents refuses an entry that fits into no queue', refusal !== undefined, refusal ?? 'accepted and lost');
  } finally {
    await events.send(new bridge.RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ['queue'] }));
    await events.send(new bridge.DeleteRuleCommand({ Name, EventBusName }));
  }
}

/** A retry message is delayed and belongs to the group of its Action. */
async function checkDelay(QueueUrl: string) {
  const sent = Date.now();
  const message = { QueueUrl, MessageBody: 'retry', MessageGroupId: 'act_1', DelaySeconds: 4 };
  await queues.send(new sqs.SendMessageCommand(message));
  const group = (await receive(QueueUrl, 30))?.Attributes?.MessageGroupId;
  const seconds = (Date.now() - sent) / 1000;
  const holds = group === 'act_1' && seconds >= 3.9 && seconds < 10;
  report('SQS delays a single message of a group on a standard queue', holds, `after ${seconds} s, group ${group}`);
}

const created: { url: string; arn: string }[] = [];
try {
  for (let i = 0; i < 2; i++) {
    const QueueName = `va-wave-verify-${randomUUID()}`;
    const { QueueUrl: url = '' } = await queues.send(new sqs.CreateQueueCommand({ QueueName }));
    const asked = { QueueUrl: url, AttributeNames: ['QueueArn' as const] };
    const arn = (await queues.send(new sqs.GetQueueAttributesCommand(asked))).Attributes?.QueueArn ?? '';
    created.push({ url, arn });
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': arn.split(':')[4] } };
    const service = { Principal: { Service: 'events.amazonaws.com' }, Condition: ofThisAccount };
    const statement = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arn, ...service };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await queues.send(new sqs.SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
  }
  const [queue, deadLetters] = created;
  if (queue === undefined || deadLetters === undefined) throw new Error('The queues were not created');
  await checkEvents(queue, deadLetters);
  await checkDelay(queue.url);
} finally {
  for (const { url } of created) await queues.send(new sqs.DeleteQueueCommand({ QueueUrl: url }));
}
process.exitCode = failed === 0 ? 0 : 1;
