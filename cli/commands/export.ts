import type { CliCommand } from '../command.ts';
import { exportedRecords } from '../operations/personal-data.ts';
import { countOf, jsonLine } from '../output.ts';
import { collect, type Moment, sinceOption, sinceTime, userIds } from '../values.ts';

export function addTo(command: CliCommand): void {
  command
    .requiredOption('--org <org_id>', 'the organization')
    .option(
      '--user <id>',
      "only one person's data, found as by erase; may be repeated; @file, or @- for stdin",
      collect,
    )
    .addOption(sinceOption('only attempts and changes since this time'))
    .notes(`Each line is an object whose "kind" is "delivery" (one attempt, as in deliveries --json), "conversation" or "change" (a record of the audit
trail). The conversations come first, then the audit trail. Then
the logs of the Actions and of the usage webhooks follow one after the other, each with the newest event first. The export has payloads
and responses, and no secret and no signature. It holds few records in memory at a time. An export that fails is incomplete.`)
    .examples(
      'va-wave export --org org_… --since 6h > log.jsonl',
      'va-wave export --org org_… --user u-1842 --user ada@example.com | gzip > person.jsonl.gz',
    )
    .withDeployment(
      async (
        { output, context, cliProcess },
        { org: orgId, user, since }: { org: string; user?: readonly string[]; since?: Moment },
      ) => {
        const from = since && sinceTime(since, context.now());
        const ids = user && (await userIds(user, cliProcess));
        let count = 0;
        const lines = async function* () {
          for await (const one of exportedRecords(orgId, ids, from, context)) {
            count += 1;
            yield jsonLine(one);
          }
        };
        await cliProcess.writeLines(lines());
        output.note(`Exported ${countOf(count, 'line')}`);
      },
    );
}
