import { Argument, type Command } from 'commander';
import {
  type DeadLetterSummary,
  REDRIVEN_QUEUES,
  type RedrivenQueue,
} from '../../src/domain/operations/dead-letters.ts';
import { inspectDeadLetters, redrive } from '../../src/domain/operations/redrive.ts';
import type { Row } from '../output.ts';
import { confirmed, type Run } from '../session.ts';
import { positive } from '../values.ts';

type Options = { readonly dryRun?: true; readonly limit: number; readonly yes?: true };

/** Dead letters: messages that failed for a reason of our own. */
export function addRedriveCommand(program: Command, run: Run): void {
  program
    .command('redrive')
    .addArgument(new Argument('<queue>', 'whose dead letters').choices(REDRIVEN_QUEUES))
    .description('move dead letters back to their queue; what was delivered already is not delivered again')
    .option('--dry-run', 'move nothing: show how many there are, and of what')
    .option('--limit <number>', 'how many a dry run shows', positive, 100)
    .option('--yes', 'do not ask; needed where there is no terminal')
    .addHelpText(
      'after',
      `
Payloads are never shown. Interrupted, it can be run again. Mend the cause first: a message that fails five more times
dies again. Use it rather than a move task of SQS, which gives messages new ids: deliveries that began would be lost.

Examples:
  va-wave redrive deliveries --dry-run
  va-wave redrive events --yes --json`,
    )
    .action((queue: RedrivenQueue, options: Options) =>
      run(async (session) => {
        const letters = (await session.deployment()).deadLetters(queue);
        const { progress, output } = session;
        if (options.dryRun) {
          progress.doing('Reading dead letters');
          const { count, shown } = await inspectDeadLetters(queue, options.limit, letters);
          progress.end();
          output.list(shown, `No dead letters of ${queue}`, shown.map(row));
          if (count > 0)
            output.note(`About ${count} dead letters of ${queue}, ${shown.length} shown; nothing was moved`);
          return;
        }
        const count = await letters.count();
        await confirmed(session, options.yes, `Move about ${count} dead letters back to ${queue}?`);
        progress.doing('Moving dead letters');
        const done = await redrive(letters, (moved) => progress.doing(`Moving dead letters: ${moved}`));
        progress.end();
        output.object({ queue, ...done }, 'Moved the dead letters', [
          ['queue', queue],
          ['moved', String(done.moved)],
          ['died again meanwhile', String(done.again)],
        ]);
      }),
    );
}

function row(letter: DeadLetterSummary): Row {
  const { message_id, sent_at, event, event_id, org_id, action_id, attempt, version, bytes } = letter;
  return {
    sent: sent_at,
    event: event ?? 'unreadable',
    event_id: event_id ?? '–',
    org_id: org_id ?? '–',
    ...(action_id === undefined ? {} : { action_id: action_id ?? '–', attempt: String(attempt ?? '–') }),
    version: String(version ?? '–'),
    bytes: String(bytes),
    message_id,
  };
}
