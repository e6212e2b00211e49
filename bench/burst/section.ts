import { randomUUID } from 'node:crypto';
import { lambdaContext, sqsEvent } from '../../test/lambdas/invocation.ts';
import { envelopeOf } from '../delivery/contender.ts';
import type { Section } from '../report.ts';
import { createActions } from '../setting/actions.ts';
import { bundledFunctions, bundleOf, type SqsHandler } from '../setting/functions.ts';
import { startReceiver } from '../setting/receiver.ts';
import { startStorage } from '../setting/storage.ts';
import { median } from '../statistics.ts';

const MESSAGES = 1000;
const BATCH = 10;
const ROUNDS = 5;

/** Measures a burst of messages to one Action, from the first batch, which opens the connections, to the last answer. */
export async function burst(folder: string): Promise<Section> {
  const receiver = await startReceiver(folder);
  const storage = await startStorage(folder);
  try {
    Object.assign(process.env, storage.environment, {
      POWERTOOLS_LOG_LEVEL: 'ERROR',
      // Lines of metrics would appear between the lines of the report.
      POWERTOOLS_METRICS_DISABLED: 'true',
      VA_WAVE_LOCAL_CA_FILE: receiver.authorityFile,
    });
    const bundle = bundleOf(await bundledFunctions(folder, false), 'dispatcher');
    const { orgId, actionIds } = await createActions(receiver.urls, storage.management);
    const message = () => ({
      version: 1,
      action_id: actionIds[0],
      attempt: 1,
      envelope: envelopeOf(randomUUID(), orgId, 1000),
    });
    const taken: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      // Each copy of the module represents a new container, which has no open connection.
      const { handler }: { handler: SqsHandler } = await import(`${bundle}?${round}`);
      const batches = Array.from({ length: MESSAGES / BATCH }, () =>
        sqsEvent(...Array.from({ length: BATCH }, message)),
      );
      const begun = performance.now();
      for (const batch of batches) {
        const { batchItemFailures } = await handler(batch, lambdaContext());
        if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
      }
      // The first round includes compilation and does not count.
      if (round > 0) taken.push(performance.now() - begun);
    }
    const ms = median(taken);
    return {
      title: 'A burst to one Action',
      method: `A new container of the dispatcher's deployed bundle receives ${MESSAGES} messages of 1 kB for one Action, in batches of ${BATCH}, one
after another. The time runs from the first batch, whose deliveries open the connections, to the last answer. Figures are medians of
${ROUNDS} rounds.`,
      tables: [
        {
          columns: ['Containers', 'ms from the first batch to the last answer', 'deliveries/s'],
          rows: [['1', ms, (MESSAGES / ms) * 1000]],
        },
      ],
    };
  } finally {
    receiver.stop();
    await storage.stop();
  }
}
