import { randomInt } from 'node:crypto';
import type { DynamoDb } from '../adapters/dynamodb/client.ts';
import { hitPerDay } from '../adapters/dynamodb/counters-table.ts';
import { deliveryLog } from '../adapters/dynamodb/delivery-log-table.ts';
import { inFlightLeases } from '../adapters/dynamodb/in-flight-leases.ts';
import { createOutbound } from '../adapters/outbound/outbound.ts';
import { REQUESTS_IN_FLIGHT_PER_ORGANIZATION } from '../contract/limits.ts';
import type { Context, Send } from '../domain/context.ts';
import { withinInFlight, withinQuota } from '../domain/delivery/outbound-request.ts';
import { now, outboundClock, setting, traceId } from './settings.ts';

/** Creates what functions with outbound requests share: the outbound pipeline, and the delivery log. */
export function outboundParts(dynamo: DynamoDb): Context<'send' | 'deliveryLog'> {
  const counters = setting('countersTable');
  const retentionDays = Number(setting('deliveryLogRetentionDays'));
  const { makeAttempt } = createOutbound({ clock: outboundClock });
  const unlimitedSend: Send = (request, policy, { signal }) => makeAttempt(request, policy, signal);
  const countedSend = withinQuota(unlimitedSend, hitPerDay(dynamo, counters));
  return {
    // Only requests with `inFlightOf` are counted here. Event deliveries have none, because the concurrency of their queue limits them.
    send: withinInFlight(countedSend, inFlightLeases(dynamo, counters, REQUESTS_IN_FLIGHT_PER_ORGANIZATION, randomInt)),
    deliveryLog: deliveryLog(dynamo, setting('deliveryLogTable'), { retentionDays, now, traceId }),
  };
}
