import { randomUUID } from 'node:crypto';
import { lambdaContext, type SqsHandler, sqsEvent } from '../setting/invocation.ts';
import { type Contender, type ContenderSettings, envelopeOf } from './contender.ts';

/** Runs the deployed bundle of the dispatcher: one container that processes one batch after another, as on Lambda. */
export async function start({
  bundle = '',
  orgId = '',
  actionIds = [],
  atOnce,
  bodyBytes,
}: ContenderSettings): Promise<Contender> {
  const { handler }: { handler: SqsHandler } = await import(bundle);
  // Serialized once, because the cost of a delivery does not include the work of the queue.
  const { id: _, ...rest } = envelopeOf('', orgId, bodyBytes);
  const afterId = JSON.stringify(rest).slice(1);
  const message = (actionId = '') =>
    `{"version":1,"action_id":"${actionId}","attempt":1,"envelope":{"id":"${randomUUID()}",${afterId}}`;
  let next = 0;
  return {
    run: async (over) => {
      let deliveries = 0;
      while (!over()) {
        const batch = Array.from({ length: atOnce }, () => message(actionIds[next++ % actionIds.length]));
        const { batchItemFailures } = await handler(sqsEvent(batch), lambdaContext());
        if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
        deliveries += atOnce;
      }
      return deliveries;
    },
  };
}
