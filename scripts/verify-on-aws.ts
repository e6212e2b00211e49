/**
 * Checks AWS for behaviour that no local test can prove (docs/verification.md), with the credentials of the environment:
 *
 *     node scripts/verify-on-aws.ts [--region eu-west-1]
 *
 * It makes a bus, a rule and queues, all of which are named va-wave-verify-*, and deletes them at the end, also after Ctrl-C. It touches no
 * deployed stack.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as bridge from '@aws-sdk/client-eventbridge';
import * as sqs from '@aws-sdk/client-sqs';
import { EVENT_GROUP_PATH, messageText } from '../src/contract/queues.ts';

const { region } = parseArgs({ options: { region: { type: 'string' } } }).values;
const access = region === undefined ? {} : { region };
const queues = new sqs.SQSClient(access);
const events = new bridge.EventBridgeClient(access);
/** The most that EventBridge and SQS take; EventBridge puts more into the queue than an entry has. */
const ENTRY_MAX_BYTES = 1_048_576;
const Name = `va-wave-verify-${randomUUID()}`;
const source = { EventBusName: Name, Source: 'verification', DetailType: 'va-wave.verification' };
const org_id = 'org_verification';
/** Ctrl-C ends the checks and not the deletion. A second one ends the process. */
const interruption = new AbortController();
process.once('SIGINT', () => {
  process.exitCode = 130;
  interruption.abort();
});

type CheckResult = { readonly holds: boolean; readonly observation: string };

/** Reports what was seen. An error fails this check, and the next one is made. */
async function check(claim: string, look: () => Promise<CheckResult>): Promise<void> {
  if (interruption.signal.aborted) return;
  const { holds, observation } = await look().catch((error) => ({ holds: false, observation: String(error) }));
  if (!holds) process.exitCode ??= 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${claim}: ${observation}`);
}

/** What deletes the things that exist, in the order in which they were created. */
const deletions: (() => Promise<unknown>)[] = [];

async function createQueue(name: string, Attributes: Record<string, string>) {
  const QueueName = `${Name}-${name}`;
  const { QueueUrl = '' } = await queues.send(new sqs.CreateQueueCommand({ QueueName, Attributes }));
  deletions.push(() => queues.send(new sqs.DeleteQueueCommand({ QueueUrl })));
  const query = { QueueUrl, AttributeNames: ['QueueArn' as const] };
  const Arn = (await queues.send(new sqs.GetQueueAttributesCommand(query))).Attributes?.QueueArn;
  return { QueueUrl, Arn };
}

/** Receives and deletes one message, so that it does not come again. Resolves to undefined when none arrives within five seconds. */
async function receive(QueueUrl: string): Promise<sqs.Message | undefined> {
  interruption.signal.throwIfAborted();
  const query = { QueueUrl, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['MessageGroupId' as const] };
  const message = (await queues.send(new sqs.ReceiveMessageCommand(query))).Messages?.[0];
  const { ReceiptHandle } = message ?? {};
  if (ReceiptHandle !== undefined) await queues.send(new sqs.DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return message;
}

/** Creates a bus whose rule has the target settings of the stack's rule. @returns what puts an event on it and finds it again */
async function createBus() {
  const { EventBusName } = source;
  await events.send(new bridge.CreateEventBusCommand({ Name }));
  deletions.push(() => events.send(new bridge.DeleteEventBusCommand({ Name })));
  const EventPattern = JSON.stringify({ 'detail-type': [source.DetailType] });
  const { RuleArn } = await events.send(new bridge.PutRuleCommand({ Name, EventBusName, EventPattern }));
  deletions.push(() => events.send(new bridge.DeleteRuleCommand({ Name, EventBusName })));
  const Condition = { ArnEquals: { 'aws:SourceArn': RuleArn } };
  const grant = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*', Condition };
  const Statement = [{ ...grant, Principal: { Service: 'events.amazonaws.com' } }];
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  const queue = await createQueue('queue', { Policy });
  const SqsParameters = { MessageGroupId: EVENT_GROUP_PATH };
  // EventBridge retries for at least a minute, and for a day by default.
  const RetryPolicy = { MaximumEventAgeInSeconds: 60 };
  const target = {
    Id: 'queue',
    Arn: queue.Arn,
    SqsParameters,
    DeadLetterConfig: { Arn: queue.Arn },
    RetryPolicy,
  };
  const { FailedEntries } = await events.send(
    new bridge.PutTargetsCommand({ Rule: Name, EventBusName, Targets: [target] }),
  );
  if (FailedEntries?.[0] !== undefined) throw new Error(`PutTargets: ${FailedEntries[0].ErrorMessage}`);
  deletions.push(() => events.send(new bridge.RemoveTargetsCommand({ Rule: Name, EventBusName, Ids: ['queue'] })));

  /** Puts an event on the bus and waits for its message. A mark tells it from the others. @throws when it is not in the queue after these seconds */
  return async (detail: object, seconds = 90): Promise<sqs.Message> => {
    const mark = randomUUID();
    const Detail = messageText({ ...detail, mark });
    const { Entries } = await events.send(new bridge.PutEventsCommand({ Entries: [{ ...source, Detail }] }));
    if (Entries?.[0]?.ErrorCode !== undefined) throw new Error(`PutEvents: ${Entries[0].ErrorMessage}`);
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
      const message = await receive(queue.QueueUrl);
      if (message?.Body?.includes(mark)) return message;
    }
    throw new Error('not in the queue');
  };
}

try {
  const arrivalOf = await createBus();
  // A new rule and a new policy take effect within about a minute, and lose the events before. The first one that arrives ends the wait.
  for (let tries = 0; tries < 18; tries++) {
    const arrived = await arrivalOf({ org_id }, 5).catch(() => undefined);
    if (arrived !== undefined || interruption.signal.aborted) break;
  }
  await check(`EventBridge sets the group of a standard queue from ${EVENT_GROUP_PATH}`, async () => {
    const message = await arrivalOf({ org_id, data: {} });
    const group = message.Attributes?.MessageGroupId;
    return { holds: group === org_id, observation: `group ${group}` };
  });
  // No group of SQS, which has 1 to 128 characters and no space, can have these names.
  for (const unusable of [undefined, 'o'.repeat(200), 'org one']) {
    await check(`The rule does not lose an event with the org_id ${unusable?.slice(0, 9)}`, async () => {
      const { Attributes } = await arrivalOf({ org_id: unusable, data: {} });
      return { holds: true, observation: `group ${Attributes?.MessageGroupId}` };
    });
  }
  await check('An event with an escaped U+FFFF reaches the queue with its value', async () => {
    const data = { text: 'https://x/\uffff' };
    const message = await arrivalOf({ org_id, data });
    const holds = JSON.parse(message.Body ?? '').detail.data.text === data.text;
    return { holds, observation: `${message.Body}` };
  });
  await check('PutEvents refuses an entry that fits into no queue', async () => {
    const otherBytes = `${source.Source}${source.DetailType}{"a":""}`.length;
    const Detail = JSON.stringify({ a: 'x'.repeat(ENTRY_MAX_BYTES - otherBytes) });
    const { Entries } = await events
      .send(new bridge.PutEventsCommand({ Entries: [{ ...source, Detail }] }))
      .catch(({ name }: Error) => ({ Entries: [{ ErrorCode: name }] }));
    const refusal = Entries?.[0]?.ErrorCode;
    return { holds: refusal !== undefined, observation: refusal ?? 'accepted and lost' };
  });
  await check('SQS delays a single message of a group on a standard queue', async () => {
    const { QueueUrl } = await createQueue('delay', {});
    const sentAt = Date.now();
    const message = { QueueUrl, MessageBody: 'retry', MessageGroupId: 'act_1', DelaySeconds: 4 };
    await queues.send(new sqs.SendMessageCommand(message));
    const group = ((await receive(QueueUrl)) ?? (await receive(QueueUrl)))?.Attributes?.MessageGroupId;
    const seconds = (Date.now() - sentAt) / 1000;
    return {
      holds: group === 'act_1' && seconds >= 3.9 && seconds < 10,
      observation: `after ${seconds} s, group ${group}`,
    };
  });
} finally {
  for (const remove of deletions.reverse()) {
    await remove().catch((error) => {
      process.exitCode = 1;
      console.log(`FAIL  Something of ${Name} is not deleted: ${error}`);
    });
  }
}
