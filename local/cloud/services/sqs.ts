import { ACCOUNT, REGION } from '../account.ts';
import type { SqsEngine } from '../engines/sqs.ts';
import { type AwsService, jsonRefusal, UnknownOperation } from '../gateway/aws-request.ts';
import { optionalText, readJsonCall } from '../gateway/json-protocol.ts';

/** Calls about one queue, and the action that allows each. A batch is allowed by the action for one. */
const ACTIONS: Readonly<Record<string, string>> = {
  SendMessage: 'SendMessage',
  SendMessageBatch: 'SendMessage',
  ReceiveMessage: 'ReceiveMessage',
  DeleteMessage: 'DeleteMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibility: 'ChangeMessageVisibility',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
  GetQueueAttributes: 'GetQueueAttributes',
  SetQueueAttributes: 'SetQueueAttributes',
  CreateQueue: 'CreateQueue',
  ListQueues: 'ListQueues',
};

/** SQS over its JSON protocol, the one that the AWS clients speak. */
export function sqs(engine: SqsEngine): AwsService {
  return {
    refuse: jsonRefusal('1.0'),
    understand(request) {
      const { operation, parameters } = readJsonCall(request);
      const action = ACTIONS[operation];
      if (action === undefined) throw new UnknownOperation('sqs', operation);
      const name = optionalText(parameters, 'QueueUrl')?.split('/').at(-1) ?? optionalText(parameters, 'QueueName');
      const resource = name === undefined ? '*' : `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;
      return {
        checks: [{ action: `sqs:${action}`, resource }],
        perform: () => engine.perform(operation, parameters, request.headers),
      };
    },
  };
}
