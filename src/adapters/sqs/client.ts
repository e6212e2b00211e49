import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResult,
  DeleteMessageRequest,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  ReceiveMessageRequest,
  ReceiveMessageResult,
  SendMessageBatchRequest,
  SendMessageBatchResult,
  SendMessageRequest,
  SendMessageResult,
} from '@aws-sdk/client-sqs';
import type { AwsAccess } from '../aws/access.ts';
import { type JsonService, jsonService } from '../aws/json-service.ts';

/** The calls that the adapters make. */
export type Sqs = JsonService<{
  ChangeMessageVisibilityBatch: {
    input: ChangeMessageVisibilityBatchRequest;
    output: Partial<ChangeMessageVisibilityBatchResult>;
  };
  DeleteMessage: { input: DeleteMessageRequest; output: object };
  GetQueueAttributes: { input: GetQueueAttributesRequest; output: GetQueueAttributesResult };
  ReceiveMessage: { input: ReceiveMessageRequest; output: ReceiveMessageResult };
  SendMessage: { input: SendMessageRequest; output: SendMessageResult };
  SendMessageBatch: { input: SendMessageBatchRequest; output: Partial<SendMessageBatchResult> };
}>;

/** One client per container; three seconds for an attempt. */
export function sqs(access: AwsAccess = {}): Sqs {
  return jsonService({ name: 'sqs', target: 'AmazonSQS', jsonVersion: '1.0', endpointVariable: 'SQS' }, access, {
    timeoutMs: 3000,
  });
}
