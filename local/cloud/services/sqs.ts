import { ACCOUNT, REGION } from '../account.ts';
import type { SqsEngine } from '../engines/sqs.ts';
import { sendMessageBatch } from '../engines/sqs-send.ts';
import type { AwsService } from '../gateway/aws-request.ts';
import { jsonService, type Operation, optionalText } from '../gateway/json-protocol.ts';

/** Calls that fauxqs answers. */
const FORWARDED = [
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'GetQueueAttributes',
  'SetQueueAttributes',
  'CreateQueue',
  'ListQueues',
];

/** SQS over its JSON protocol, the one that the AWS clients speak. A batch is allowed by the action for one. */
export function sqs(engine: SqsEngine): AwsService {
  const operation = (name: string, answer: Operation['answer']): Operation => ({
    checks: (parameters) => {
      const queue = optionalText(parameters, 'QueueUrl')?.split('/').at(-1) ?? optionalText(parameters, 'QueueName');
      const resource = queue === undefined ? '*' : `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue}`;
      return [{ action: `sqs:${name.replace(/Batch$/, '')}`, resource }];
    },
    answer,
  });
  return jsonService('sqs', {
    ...Object.fromEntries(FORWARDED.map((name) => [name, operation(name, (_, request) => engine.forward(request))])),
    SendMessage: operation('SendMessage', (parameters) => engine.send(parameters)),
    SendMessageBatch: operation('SendMessageBatch', (parameters) => engine.send(parameters, sendMessageBatch)),
  });
}
