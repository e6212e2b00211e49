import { Argument, type Command } from 'commander';
import {
  type DeadLetterSummary,
  REDRIVEN_QUEUES,
  type RedrivenQueue,
} from '../../src/domain/operations/dead-letters.ts';
import { inspectDeadLetters, redrive } from '../../src/domain/operations/redrive.ts';
import { confirmed, type Run } from '../command-run.ts';
import type { Row } from '../output.ts';
import { positive } from '../values.ts';

type Options = { readonly dryRun?: true; readonly limit: number; readonly yes?: true };

/** Adds the command for dead letters, which are messages that va-wave could not process. */
export function addRedriveCommand(command: Command, run: Run): void {
  command
    .addArgument(new Argument('<queue>', 'the queue').choices(REDRIVEN_QUEUES))
    .option('--dry-run', 'move nothing; show the dead letters and their number')
    .option('--limit <number>', 'maximum number in a dry run', positive, 100)
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
The command never shows payloads. After an interruption, run it again. Correct the cause first: a message that fails five more times
becomes a dead letter again. Do not use a move task of SQS: it gives messages new ids, and attempts in progress would be lost.

Examples:
  va-wave redrive deliveries --dry-run
  va-wave redrive events --yes --json`,
    )
    .action((queue: RedrivenQueue, options: Options) =>
      run(async (commandRun) => {
        const deadLetters = (await commandRun.deployment()).deadLetters(queue);
        const { output } = commandRun;
        if (options.dryRun) {
          output.doing('Reading dead letters');
          const { count, shown } = await inspectDeadLetters(queue, options.limit, deadLetters);
          output.list(shown, `No dead letters of ${queue}`, shown.map(row));
          if (count > 0)
            output.note(`About ${count} dead letters of ${queue}, ${shown.length} shown; nothing was moved`);
          return;
        }
        const count = await deadLetters.count();
        await confirmed(commandRun, options.yes, `Move about ${count} dead letters back to ${queue}?`);
        output.doing('Moving dead letters');
        const done = await redrive(deadLetters, (moved) => output.doing(`Moving dead letters: ${moved}`));
        output.object({ queue, ...done }, 'Moved the dead letters');
      }),
    );
}

function row(summary: DeadLetterSummary): Row {
  const { message_id, sent_at, event, event_id, org_id, action_id, attempt, version, bytes } = summary;
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
