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
  let next = 0;
  return {
    run: async (over) => {
      let deliveries = 0;
      while (!over()) {
        const batch = Array.from({ length: atOnce }, () => ({
          version: 1,
          action_id: actionIds[next++ % actionIds.length],
          attempt: 1,
          envelope: envelopeOf(randomUUID(), orgId, bodyBytes),
        }));
        const { batchItemFailures } = await handler(sqsEvent(batch), lambdaContext());
        if (batchItemFailures.length > 0) throw new Error('A message came back');
        deliveries += atOnce;
      }
      return deliveries;
    },
  };
}
