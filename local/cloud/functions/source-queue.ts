import type { Authorizer } from '../access/authorizer.ts';
import type { Caller } from '../access/callers.ts';
import type { SqsEngine } from '../engines/sqs.ts';
import { requireAllowed } from '../gateway/aws-request.ts';
import type { Resource } from '../template/stack.ts';
import type { SourceQueue } from './event-source.ts';

/** Seconds after which a wait for messages is repeated. */
const LONG_POLL_S = 20;

/**
 * Returns the queue of an event source. The function's role makes the calls, which are checked like its others. What the creation of
 * the mapping needs and the role does not allow is recorded as a denial; the mapping then stands still, as it would in AWS.
 */
export function sourceQueue(
  { arn: resource, ref: url }: Resource<'AWS::SQS::Queue'>,
  caller: Caller,
  { authorizer, sqs }: { readonly authorizer: Authorizer; readonly sqs: SqsEngine },
): SourceQueue {
  const may = (action: string) => requireAllowed(authorizer, caller, { action, resource });
  authorizer.check(caller, { action: 'sqs:GetQueueAttributes', resource });
  return {
    arrival: () => sqs.arrival(url, LONG_POLL_S),
    addition: () => sqs.addition(url),
    receive(max, quietOnly) {
      may('sqs:ReceiveMessage');
      return sqs.receive(url, max, quietOnly);
    },
    async delete(receiptHandles) {
      may('sqs:DeleteMessage');
      await sqs.delete(url, receiptHandles);
    },
  };
}
