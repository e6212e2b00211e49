import type { Command } from 'commander';
import { type Capacity, capacityFor, NEW_TABLE } from '../../src/deployment/capacity.ts';
import type { Run } from '../command-run.ts';
import { positive } from '../values.ts';

/** Adds the command that prepares the tables for a known load. */
export function addTo(command: Command, run: Run): void {
  command
    .requiredOption('--deliveries-per-second <number>', 'the peak that the tables must take at once', positive)
    .addHelpText(
      'after',
      `
DynamoDB bills the added units once, and never takes them back. A table that takes more already stays as it is.

Example:
  va-wave warm --deliveries-per-second 10000`,
    )
    .action(
      run(async ({ output, ports, confirm }, { deliveriesPerSecond }: { deliveriesPerSecond: number }) => {
        await confirm(`Prepare the tables for ${deliveriesPerSecond} deliveries a second for ever?`);
        output.doing('Preparing the tables');
        const tables = await warmTables(deliveriesPerSecond, ports);
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
      }),
    );
}

/** Units per second that a table takes at once. */
type WarmThroughput = { readonly reads: number; readonly writes: number };

type WarmedTable = {
  readonly read: () => Promise<WarmThroughput>;
  /** DynamoDB can only raise it, and bills the units that it adds. */
  readonly raise: (to: WarmThroughput) => Promise<void>;
};

const NEEDS: Readonly<Record<'configuration' | 'counters' | 'delivery_log', (capacity: Capacity) => WarmThroughput>> = {
  configuration: ({ configurationReads }) => ({ ...NEW_TABLE, reads: configurationReads }),
  counters: ({ counterWrites }) => ({ ...NEW_TABLE, writes: counterWrites }),
  delivery_log: ({ logWrites }) => ({ ...NEW_TABLE, writes: logWrites }),
};
type WarmTablesPorts = { readonly warmedTables: Readonly<Record<keyof typeof NEEDS, WarmedTable>> };

/**
 * Prepares the tables that events fill or read for this number of deliveries per second. A value that is larger already stays, so the
 * command can be repeated with any number. @returns what each table takes at once now
 */
async function warmTables(deliveriesPerSecond: number, { warmedTables }: WarmTablesPorts) {
  const capacity = capacityFor(deliveriesPerSecond);
  const names = ['configuration', 'counters', 'delivery_log'] as const;
  return Promise.all(
    names.map(async (table) => {
      const before = await warmedTables[table].read();
      const needed = NEEDS[table](capacity);
      const next = { reads: Math.max(before.reads, needed.reads), writes: Math.max(before.writes, needed.writes) };
      const raised = next.reads > before.reads || next.writes > before.writes;
      if (raised) await warmedTables[table].raise(next);
      return { table, raised, ...next };
    }),
  );
}
