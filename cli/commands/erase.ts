import { ERASED } from '../../src/contract/retention.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import type { CliCommand } from '../command.ts';
import { erasePerson, type PersonCounts, remainingUntil } from '../operations/personal-data.ts';
import { countOf } from '../output.ts';
import { collect, userIds } from '../values.ts';

type EraseOptions = { readonly org: string; readonly user: readonly string[]; readonly dryRun?: true };

export function addTo(command: CliCommand): void {
  command
    .requiredOption('--org <org_id>', 'the organization')
    .requiredOption(
      '--user <id>',
      'an id of the person; repeat it for each, or @file, or @- for stdin, with an id on each line',
      collect,
    )
    .option('--dry-run', 'erase nothing; count what would be erased')
    .notes(`An id is a user id, a visitor id, a conversation id, an email address, an IP address, or any other value that identifies the person to
the customer. It is found as a whole, as the name or value of a field at any depth of a payload or response, also as a number; in a
text that is not JSON, as a word. Upper and lower case differ. The conversations that the person began are found by user id and
visitor id, and then the deliveries that name these conversations or their sessions.

The command removes payload and response from the delivery records, erases conversations and the counters of IP addresses, and replaces
the texts of the audit trail that have an id by "${ERASED}". First stop what writes such data. It takes at least 30 seconds, and reads the records of attempts in progress again. After an interruption, run it
again. It reads the organization's whole delivery log and the whole conversations table. It prints until when copies remain that it does
not reach: messages in queues and dead-letter queues, backups, and the archive of events (-c eventArchive=…).`)
    .examples(
      'va-wave erase --org org_… --user u-1842 --user ada@example.com --dry-run',
      'va-wave erase --org org_… --user @ids.txt --yes',
    )
    .withDeployment(async ({ output, context, cliProcess, yes, confirm }, { org, user, dryRun }: EraseOptions) => {
      const person = { orgId: org, ids: await userIds(user, cliProcess) };
      const noteNothing = ({ records, conversations, counters, changes }: PersonCounts) => {
        if (records + conversations + counters + changes > 0) return;
        requireReadable(context.unreadableRecords());
        output.note('Nothing has one of these ids. An id must be written exactly as the customer stores it');
      };
      if (dryRun || !yes) {
        const counts = await erasePerson(person, true, context);
        if (dryRun) {
          output.object({ org_id: org, ...counts }, 'Found; nothing was changed');
          return noteNothing(counts);
        }
        const { records, conversations } = counts;
        await confirm(
          `Erase the content of ${countOf(records, 'delivery record')}, and ${countOf(conversations, 'conversation')}, of ${org}?`,
        );
      }
      const counts = await erasePerson(person, false, context);
      const remainingCopies = remainingUntil(context.now(), context.eventArchiveDays);
      output.object({ org_id: org, ...counts, remaining: remainingCopies }, 'Erased');
      noteNothing(counts);
      if (counts.unfinished_records > 0) {
        output.note('Attempts were in progress. Run the command again when they have ended.');
      }
    });
}
