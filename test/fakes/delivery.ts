import { deliveryLog } from '../../src/adapters/dynamodb/delivery-log-table.ts';
import { deliveryLogReads } from '../../src/adapters/dynamodb/delivery-records.ts';
import type { Action } from '../../src/contract/actions.ts';
import type { AttemptResult, DeliveryRecord, FailureCode } from '../../src/contract/delivery-record.ts';
import type { BusEvent, DeliveryMessage } from '../../src/contract/queues.ts';
import type { AttemptStart, EndpointAnswer, OutboundRequest, Send, SendPolicy } from '../../src/domain/context.ts';
import * as outcome from '../../src/domain/delivery/outcome.ts';
import { responseAnswer } from '../../src/domain/delivery/outcome.ts';
import type { Clock } from '../../src/domain/sources.ts';
import { ORG_ID, SITE_ID } from './configuration.ts';
import { fakeInvocation } from './invocation.ts';
import { FrozenClock } from './sources.ts';
import { MemoryTables, memoryDynamoDb } from './tables.ts';

/** For a reader of records that can all be read. */
export function mustRead(cause: Error): never {
  throw cause;
}

/** Returns the answer with this status and body. @param withheld what the request withholds */
export const answered = (
  status: number,
  body = 'ok',
  problem: EndpointAnswer['error'] = null,
  withheld: readonly string[] = [],
): EndpointAnswer => ({
  ...responseAnswer({ status, body: Buffer.from(body), problem }, { method: 'POST', withheldTexts: withheld }),
  latency_ms: 12,
});

/** Returns the outcome of an attempt without a response. */
export const unanswered = (code: FailureCode): EndpointAnswer => ({
  ...outcome.failureAnswer({ code, message: code }),
  latency_ms: 5000,
});

/** An outbound pipeline that sends nothing. It records requests and returns the outcomes in order, then the last one again. It begins no request after the invocation has ended. */
export class FakeOutbound {
  readonly requests: OutboundRequest[] = [];
  readonly policies: SendPolicy[] = [];
  outcomes: EndpointAnswer[] = [answered(200)];

  readonly send: Send = async (request, policy, { signal }) => {
    signal.throwIfAborted();
    const outcome = this.outcomes[Math.min(this.requests.length, this.outcomes.length - 1)] ?? answered(200);
    this.requests.push(request);
    this.policies.push(policy);
    return outcome;
  };
}

/** Returns the beginning of an attempt that a queue message asks for. */
export function anAttempt(changes: Partial<AttemptStart> = {}): AttemptStart {
  return {
    action_id: 'act_event',
    at: '2026-03-04T05:06:00Z',
    reference: 'event-1',
    attempt: 1,
    trigger: 'event',
    trigger_ref: 'conversation.started',
    payload: '{"id":"event-1"}',
    started_at: '2026-03-04T05:06:07.250Z',
    hasMessage: true,
    ...changes,
  };
}

/** Returns the service's delivery log over a table in memory. The calls in `failing` reject as with a storage that cannot be reached. */
function memoryDeliveryLog(now: Clock) {
  const tables = new MemoryTables();
  const client = memoryDynamoDb(tables);
  const log = deliveryLog(client, 'log', { retentionDays: 30, now });
  const failing = new Set<'claim' | 'complete'>();
  const reach = async (call: 'claim' | 'complete') => {
    if (failing.has(call)) throw new Error('The log is away');
  };
  return {
    ...log,
    client,
    items: () => [...tables.items('log')],
    failing,
    claim: (start: AttemptStart) => reach('claim').then(() => log.claim(start)),
    complete: (start: AttemptStart, result: AttemptResult) => reach('complete').then(() => log.complete(start, result)),
    /** Returns the records of all logs; those of one log in the order of the attempts. */
    all: async () => {
      const records: DeliveryRecord[] = [];
      const ids = [...tables.items('log')].map(({ pk }) => String(pk).slice('ACTION#'.length, -'#0'.length));
      for (const id of new Set(ids)) {
        for await (const one of deliveryLogReads(client, 'log', mustRead).deliveryRecords(id)) records.unshift(one);
      }
      return records;
    },
  };
}

/** Opens the signing secret of each Action as `whsec_<action id>`, and none that was sealed for another one. */
export const openSigningSecret = async ({ action_id, sealed_signing_secret }: Action): Promise<string> => {
  if (sealed_signing_secret !== `sealed for ${action_id}`) throw new Error('It was sealed for another Action');
  return `whsec_${action_id}`;
};

/** Returns the fakes behind an attempt, the context that leads to them, and an invocation. */
export function attemptFakes() {
  const clock = new FrozenClock();
  const outbound = new FakeOutbound();
  const log = memoryDeliveryLog(clock.now);
  const invocation = fakeInvocation({ now: clock.now });
  return { clock, outbound, log, invocation, context: { openSigningSecret, send: outbound.send, deliveryLog: log } };
}

/** The first attempt to deliver conversation.started to the Action `act_event`. */
export const DELIVERY = {
  version: 1,
  action_id: 'act_event',
  attempt: 1,
  envelope: {
    id: '6a7e8f90-0000-4000-8000-000000000001',
    event: 'conversation.started',
    timestamp: '2026-03-04T05:06:00Z',
    data: { conversation_id: 'c-1' },
    site_id: SITE_ID,
    org_id: ORG_ID,
  },
} as const satisfies DeliveryMessage;

/** The event of this delivery, as the bus passes it on. */
export const EVENT: BusEvent = {
  id: DELIVERY.envelope.id,
  'detail-type': DELIVERY.envelope.event,
  time: DELIVERY.envelope.timestamp,
  detail: { org_id: ORG_ID, site_id: SITE_ID, data: DELIVERY.envelope.data },
};
