import type { Command } from 'commander';
import { warmTables } from '../../src/domain/operations/warm-tables.ts';
import { confirmed, type Run } from '../command-run.ts';
import { positive } from '../values.ts';

type Options = { readonly deliveriesPerSecond: number; readonly yes?: true };

/** Adds the command that prepares the tables for a known load. */
export function addWarmCommand(command: Command, run: Run): void {
  command
    .requiredOption('--deliveries-per-second <number>', 'the peak that the tables must take at once', positive)
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
DynamoDB bills the added units once, and never takes them back. A table that takes more already stays as it is.

Example:
  va-wave warm --deliveries-per-second 10000`,
    )
    .action(({ deliveriesPerSecond, yes }: Options) =>
      run(async (commandRun) => {
        const deployment = await commandRun.deployment();
        await confirmed(commandRun, yes, `Prepare the tables for ${deliveriesPerSecond} deliveries a second for ever?`);
        commandRun.output.doing('Preparing the tables');
        const tables = await warmTables(deliveriesPerSecond, deployment);
        commandRun.output.list(
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
