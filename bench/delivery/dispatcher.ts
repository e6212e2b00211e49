import { randomUUID } from 'node:crypto';
import { lambdaContext, type SqsHandler, sqsEvent } from '../setting/invocation.ts';
import { type Contender, type ContenderSettings, envelopeOf } from './contender.ts';

/** The deployed bundle of the dispatcher: one container, one batch after another, as Lambda runs it. */
export async function start({
  bundle = '',
  orgId = '',
  actionIds = [],
  atOnce,
  bodyBytes,
}: ContenderSettings): Promise<Contender> {
  const { handler }: { handler: SqsHandler } = await import(bundle);
  // Written once: what the queue does is no part of what a delivery costs.
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
        if (batchItemFailures.length > 0) throw new Error('A message came back');
        deliveries += atOnce;
      }
      return deliveries;
    },
  };
}
