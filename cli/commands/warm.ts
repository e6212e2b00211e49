import { capacityFor, NEW_TABLE } from '../../src/deployment/capacity.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { positive } from '../values.ts';

export function addTo(command: CliCommand): void {
  command
    .requiredOption('--deliveries-per-second <number>', 'the peak that the tables must take at once', positive)
    .notes(
      `DynamoDB bills the added units once, and never takes them back. A table that takes more already stays as it is.
The command begins the change. Run again, it says which tables have it.`,
    )
    .examples('va-wave warm --deliveries-per-second 10000')
    .withDeployment(async ({ output, context, confirm }, { deliveriesPerSecond }: { deliveriesPerSecond: number }) => {
      await confirm(`Prepare the tables for ${deliveriesPerSecond} deliveries a second for ever?`);
      output.showProgress('Preparing the tables');
      const tables = await warmTables(deliveriesPerSecond, context);
      output.list(
        tables,
        'No tables',
        tables.map(({ table, ready, reads, writes }) => ({
          table,
          'reads a second': String(reads),
          'writes a second': String(writes),
          '': ready ? 'enough already' : 'being raised',
        })),
      );
      if (tables.some(({ ready }) => !ready)) {
        output.note('Run the command again before the load comes, until every table has enough already');
      }
    });
}

/** A larger value stays, and a table that is changing is left alone, so the command can be repeated with any number. */
async function warmTables(deliveriesPerSecond: number, { warmedTables }: ConnectedRun['context']) {
  const { configurationReads, counterWrites, logWrites } = capacityFor(deliveriesPerSecond);
  const prepareTable = async (table: keyof typeof warmedTables, neededUnits: { reads: number; writes: number }) => {
    const { updating: isUpdating, ...now } = await warmedTables[table].read();
    const next = { reads: Math.max(now.reads, neededUnits.reads), writes: Math.max(now.writes, neededUnits.writes) };
    const isEnough = next.reads === now.reads && next.writes === now.writes;
    if (!isUpdating && !isEnough) await warmedTables[table].raise(next);
    return { table, ready: !isUpdating && isEnough, ...next };
  };
  // What the load does not need more of is that of NEW_TABLE, which every table takes.
  return Promise.all([
    prepareTable('configuration', { ...NEW_TABLE, reads: configurationReads }),
    prepareTable('counters', { ...NEW_TABLE, writes: counterWrites }),
    prepareTable('delivery_log', { ...NEW_TABLE, writes: logWrites }),
  ]);
}
