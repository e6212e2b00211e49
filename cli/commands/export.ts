import type { Command } from 'commander';
import type { Run } from '../command-run.ts';
import { exportedLog, exportedPerson } from '../operations/person.ts';
import { jsonLine } from '../output.ts';
import { collect, idValues, type Moment, moment, timeOf } from '../values.ts';

type Options = { readonly org: string; readonly user?: readonly string[]; readonly since?: Moment };

/** Adds the options and the work of `export`. */
export function addTo(command: Command, run: Run): void {
  command
    .requiredOption('--org <org_id>', 'the organization')
    .option(
      '--user <id>',
      "only one person's data, found as by erase; may be repeated; @file, or @- for stdin",
      collect,
    )
    .option(
      '--since <time>',
      'only records of events since this time: 30m, 1h or 2d ago, or 2026-03-04T05:06:00Z',
      moment,
    )
    .addHelpText(
      'after',
      `
Each line is an object whose "kind" is "delivery" (one attempt, as in deliveries --json) or "conversation". The conversations come first. Then
the logs of the Actions and of the usage webhooks follow one after the other, each with the newest event first. The export has payloads
and responses, and no secret and no signature. It holds few records in memory at a time. An export that fails is incomplete.

Examples:
  va-wave export --org org_… --since 6h > log.jsonl
  va-wave export --org org_… --user u-1842 --user ada@example.com | gzip > person.jsonl.gz`,
    )
    .action(
      run(async ({ output, ports, cliProcess }, { org: orgId, user, since }: Options) => {
        const from = since && timeOf(since, ports.now());
        const ids = user && (await idValues('user', user, cliProcess));
        let count = 0;
        const lines = async function* () {
          for await (const one of ids ? exportedPerson({ orgId, ids }, from, ports) : exportedLog(orgId, from, ports)) {
            count += 1;
            yield jsonLine(one);
          }
        };
        await cliProcess.writeLines(lines());
        output.note(`Exported ${count} lines`);
      }),
    );
}
