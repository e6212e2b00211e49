import { capacityFor, NEW_TABLE } from '../../src/deployment/capacity.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { positive } from '../values.ts';

/** Adds the command that prepares the tables for a known load. */
export function addTo(command: CliCommand): void {
  command
    .requiredOption('--deliveries-per-second <number>', 'the peak that the tables must take at once', positive)
    .notes(
      `DynamoDB bills the added units once, and never takes them back. A table that takes more already stays as it is.`,
    )
    .examples('va-wave warm --deliveries-per-second 10000')
    .connected(async ({ output, context, confirm }, { deliveriesPerSecond }: { deliveriesPerSecond: number }) => {
      await confirm(`Prepare the tables for ${deliveriesPerSecond} deliveries a second for ever?`);
      output.doing('Preparing the tables');
      const tables = await warmTables(deliveriesPerSecond, context);
      output.list(
        tables,
        'No tables',
        tables.map(({ table, raised, reads, writes }) => ({
          table,
          'reads a second': String(reads),
          'writes a second': String(writes),
          '': raised ? 'raised' : 'enough already',
        })),
      );
    });
}

/**
 * Prepares the tables that events fill or read for this number of deliveries per second. A value that is larger already stays, so the
 * command can be repeated with any number. @returns what each table takes at once now
 */
async function warmTables(
  deliveriesPerSecond: number,
  { warmedTables }: Pick<ConnectedRun['context'], 'warmedTables'>,
) {
  const { configurationReads, counterWrites, logWrites } = capacityFor(deliveriesPerSecond);
  const needs = {
    configuration: { ...NEW_TABLE, reads: configurationReads },
    counters: { ...NEW_TABLE, writes: counterWrites },
    delivery_log: { ...NEW_TABLE, writes: logWrites },
  };
  return Promise.all(
    (['configuration', 'counters', 'delivery_log'] as const).map(async (table) => {
      const before = await warmedTables[table].read();
      const needed = needs[table];
      const next = { reads: Math.max(before.reads, needed.reads), writes: Math.max(before.writes, needed.writes) };
      const raised = next.reads > before.reads || next.writes > before.writes;
      if (raised) await warmedTables[table].raise(next);
      return { table, raised, ...next };
    }),
  );
}
