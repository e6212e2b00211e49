import { randomUUID } from 'node:crypto';
import { lambdaContext, sqsEvent } from '../../test/lambdas/invocation.ts';
import type { SqsHandler } from '../setting/functions.ts';
import { type Contender, envelopeOf } from './contender.ts';

type Settings = {
  readonly bundle: string;
  readonly orgId: string;
  readonly actionIds: readonly string[];
  readonly batch: number;
  readonly bodyBytes: number;
};

/** Runs the deployed bundle of the dispatcher: one container that processes one batch after another, as on Lambda. */
export async function start({ bundle, orgId, actionIds, batch, bodyBytes }: Settings): Promise<Contender> {
  const { handler }: { handler: SqsHandler } = await import(bundle);
  // Serialized once, because the cost of a delivery does not include the work of the queue.
  const { id: _, ...rest } = envelopeOf('', orgId, bodyBytes);
  const afterId = JSON.stringify(rest).slice(1);
  const message = (actionId = '') =>
    `{"version":1,"action_id":"${actionId}","attempt":1,"envelope":{"id":"${randomUUID()}",${afterId}}`;
  let next = 0;
  return async (over) => {
    let deliveries = 0;
    while (!over()) {
      const messages = Array.from({ length: batch }, () => message(actionIds[next++ % actionIds.length]));
      const { batchItemFailures } = await handler(sqsEvent(...messages), lambdaContext());
      if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
      deliveries += batch;
    }
    return deliveries;
  };
}
