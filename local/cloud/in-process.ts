import type { Authorizer, Check } from './access/authorizer.ts';
import type { Caller } from './access/callers.ts';
import type { TargetCalls } from './engines/event-targets.ts';
import type { SqsEngine } from './engines/sqs.ts';
import type { SourceQueue } from './functions/event-source.ts';
import type { LambdaFunctions } from './functions/lambda-functions.ts';
import { ServiceError } from './gateway/aws-request.ts';
import type { QueueDefinition } from './template/model.ts';

/** The parts for calls within this process. These calls are checked in the same way as calls over HTTP. */
type Parts = { readonly authorizer: Authorizer; readonly queues: SqsEngine };

/** Seconds after which a wait for messages is repeated. */
const LONG_POLL_S = 20;

/** Returns the queue of an event source. The function's role makes the calls. */
export function sourceQueue({ authorizer, queues }: Parts, { arn, url }: QueueDefinition, caller: Caller): SourceQueue {
  return {
    check: () => void authorizer.check(caller, { action: 'sqs:GetQueueAttributes', resource: arn }),
    arrival: () => queues.arrival(url, LONG_POLL_S),
    addition: () => queues.addition(url),
    receive(max, quietOnly) {
      allow(authorizer, caller, { action: 'sqs:ReceiveMessage', resource: arn });
      return queues.receive(url, max, quietOnly);
    },
    async delete(receiptHandles) {
      allow(authorizer, caller, { action: 'sqs:DeleteMessage', resource: arn });
      await queues.delete(url, receiptHandles);
    },
  };
}

/** What rules do with an event. */
export function targetCalls({ authorizer, queues }: Parts, functions: LambdaFunctions): TargetCalls {
  return {
    async send(caller, { arn, url }, message) {
      allow(authorizer, caller, { action: 'sqs:SendMessage', resource: arn });
      await queues.send({ ...message, QueueUrl: url });
    },
    async invoke(caller, { arn }, event) {
      allow(authorizer, caller, { action: 'lambda:InvokeFunction', resource: arn });
      functions.find(arn)?.invokeLater(event);
    },
  };
}

function allow(authorizer: Authorizer, caller: Caller, check: Check): void {
  const denial = authorizer.check(caller, check);
  if (denial !== undefined) throw new ServiceError('AccessDeniedException', denial.message);
}
