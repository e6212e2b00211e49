import { randomUUID } from 'node:crypto';
import { envelopeOf } from '../delivery/contender.ts';
import { tenActions } from '../delivery/section.ts';
import type { Section } from '../report.ts';
import { bundledFunctions, bundleOf } from '../setting/functions.ts';
import { lambdaContext, type SqsHandler, sqsEvent } from '../setting/invocation.ts';
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
    const { orgId, actionIds } = await tenActions(storage, receiver.urls[0]);
    // Each copy of the module represents a new container, which has no open connection.
    const containers = async (count: number): Promise<readonly SqsHandler[]> =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const { handler }: { handler: SqsHandler } = await import(`${bundle}?${randomUUID()}`);
          return handler;
        }),
      );
    const rows: (readonly (string | number)[])[] = [];
    for (const count of [1, 2, 5]) {
      const taken: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const ms = await run(await containers(count), orgId, actionIds[0] ?? '');
        // The first round includes compilation and does not count.
        if (round > 0) taken.push(ms);
      }
      const ms = median(taken);
      rows.push([String(count), ms, (MESSAGES / ms) * 1000]);
    }
    return {
      title: 'A burst to one Action',
      method: `New containers of the dispatcher's deployed bundle receive ${MESSAGES} messages of 1 kB for one Action, in batches of ${BATCH}. Each
container processes one batch after another. The time runs from the first batch, whose deliveries open the connections, to the last
answer. Figures are medians of ${ROUNDS} rounds. The containers share one process and one core here, so more containers are not faster.`,
      tables: [{ columns: ['Containers', 'ms from the first batch to the last answer', 'deliveries/s'], rows }],
    };
  } finally {
    receiver.stop();
    await storage.stop();
  }
}

async function run(handlers: readonly SqsHandler[], orgId: string, actionId: string): Promise<number> {
  const message = () =>
    JSON.stringify({
      version: 1,
      action_id: actionId,
      attempt: 1,
      envelope: envelopeOf(randomUUID(), orgId, 1000),
    });
  let batches = Array.from({ length: MESSAGES / BATCH }, () => sqsEvent(Array.from({ length: BATCH }, message)));
  const begun = performance.now();
  await Promise.all(
    handlers.map(async (handler) => {
      for (;;) {
        const [next, ...others] = batches;
        if (next === undefined) return;
        batches = others;
        const { batchItemFailures } = await handler(next, lambdaContext());
        if (batchItemFailures.length > 0) throw new Error('The dispatcher returned a message to the queue');
      }
    }),
  );
  return performance.now() - begun;
}
