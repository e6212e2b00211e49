import type { Authorizer, Check } from './access/authorizer.ts';
import type { Caller } from './access/callers.ts';
import type { TargetCalls } from './engines/event-targets.ts';
import type { SqsEngine } from './engines/sqs.ts';
import type { SourceQueue } from './functions/event-source.ts';
import type { FunctionPools } from './functions/function-pools.ts';
import { ServiceError } from './gateway/aws-request.ts';
import type { QueueDefinition } from './template/model.ts';

/** Calls that the parts of this cloud make to each other: checked as those over the wire are, and without one. */
type Parts = { readonly authorizer: Authorizer; readonly queues: SqsEngine };

/** Fruitless looks into a queue begin anew after this. */
const LONG_POLL_S = 20;

/** The queue of an event source, in the name of the function's role. */
export function sourceQueue({ authorizer, queues }: Parts, { arn, url }: QueueDefinition, caller: Caller): SourceQueue {
  return {
    check: () => void authorizer.check(caller, { action: 'sqs:GetQueueAttributes', resource: arn }),
    arrival: () => queues.arrival(url, LONG_POLL_S),
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
export function targetCalls({ authorizer, queues }: Parts, functions: FunctionPools): TargetCalls {
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
