import type { Command } from 'commander';
import { replayEvent } from '../../src/domain/operations/replay-event.ts';
import { type FailedEvent, failedEvents } from '../../src/domain/operations/replay-failures.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { confirmed, type Run } from '../command-run.ts';
import { fieldsOf, type Row } from '../output.ts';
import { type Moment, moment, timeOf } from '../values.ts';

type Options = { readonly since: Moment; readonly dryRun?: true; readonly yes?: true };

/** Adds `event replay-failed`. */
export function addFailuresReplay(event: Command, run: Run): void {
  event
    .command('replay-failed <action_id>')
    .description('deliver all events again that failed for an Action since a time')
    .requiredOption('--since <time>', "the events' time: 30m, 1h or 2d ago, or 2026-03-04T05:06:00Z", moment)
    .option('--dry-run', 'send nothing; list the events that would be sent')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .addHelpText(
      'after',
      `
The command sends the oldest event first, each with its own id, like event replay. It omits events that were delivered, also by a replay,
events in progress, test.ping, and events without a complete envelope in the log. After an interruption, run it again.

Examples:
  va-wave event replay-failed act_… --since 6h --dry-run
  va-wave event replay-failed act_… --since 2026-03-04T05:00:00Z --yes`,
    )
    .action((actionId: string, options: Options) =>
      run(async (commandRun) => {
        const { output } = commandRun;
        const ports = await commandRun.deployment();
        const request = { actionId, since: timeOf(options.since, ports.now()) };
        output.doing('Reading the log');
        const failed = await failedEvents(request, ports, (records) => output.doing(`Reading the log: ${records}`));
        if (options.dryRun) {
          output.list(failed, `Nothing failed since ${request.since}`, failed.map(row));
          if (failed.length > 0) output.note(`${counted(failed.length)} would be delivered again; nothing was sent`);
          return;
        }
        if (failed.length > 0) {
          await confirmed(commandRun, options.yes, `Deliver ${counted(failed.length)} to ${actionId} again?`);
        }
        const unsent: { event_id: string; reason: string }[] = [];
        for (const [index, { event_id, event_time }] of failed.entries()) {
          await ports.step(`Delivering again: ${index + 1} of ${failed.length}`);
          const reason = await unsentReason(() =>
            replayEvent({ eventId: event_id, actionId, search: { at: event_time } }, ports),
          );
          if (reason !== undefined) unsent.push({ event_id, reason });
        }
        const done = { action_id: actionId, since: request.since, sent: failed.length - unsent.length };
        output.object({ ...done, unsent }, 'Sent the events to the deliveries queue', [
          ...fieldsOf(done),
          ...unsent.map(({ event_id, reason }): [string, string] => ['unsent', `${event_id}: ${reason}`]),
        ]);
      }),
    );
}

/** Resolves to the reason why one event cannot be sent again, or to undefined. @throws any error that concerns all events */
async function unsentReason(replay: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await replay();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'envelope_not_kept' || error.code === 'envelope_too_large')) {
      return error.message;
    }
    throw error;
  }
}

const row = ({ event_id, event, event_time, attempts, error }: FailedEvent): Row => ({
  event_id,
  event,
  time: event_time,
  attempts: String(attempts),
  reason: error === null ? '–' : `${error.code}: ${error.message}`,
});

const counted = (events: number) => (events === 1 ? '1 event' : `${events} events`);
