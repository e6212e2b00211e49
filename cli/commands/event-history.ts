import type { Command } from 'commander';
import { replayEvent } from '../../src/domain/operations/replay-event.ts';
import { type FailedEvent, failedEvents } from '../../src/domain/operations/replay-failures.ts';
import { type TracedAttempt, type TracedDelivery, traceEvent } from '../../src/domain/operations/trace-event.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { confirmed, type Run } from '../command-run.ts';
import { searchOf, type When, withTime } from '../event-search.ts';
import { fieldsOf, type Row } from '../output.ts';
import { type Moment, moment, timeOf } from '../values.ts';
import { attemptNumber } from './delivery.ts';

/** Adds the commands that trace and replay past events. */
export function addEventHistory(event: Command, run: Run): void {
  withTime(
    event
      .command('trace <event_id>')
      .description('show the deliveries of an event: the subscribed Actions, and each attempt with its outcome')
      .requiredOption('--org <org_id>', 'organization that the event belongs to'),
  )
    .addHelpText(
      'after',
      `
The event id is the id of the envelope. Without --at, the command searches the logs of all Event Actions of the organization for the
whole time. It does not search the logs of deleted Actions.

Examples:
  va-wave event trace 6a7e8f90-… --org org_…
  va-wave event trace 6a7e8f90-… --org org_… --at 2026-03-04T05:06:00Z --json`,
    )
    .action((eventId: string, options: When & { org: string }) =>
      run(async ({ output, deployment }) => {
        const ports = await deployment();
        const request = { eventId, orgId: options.org, search: searchOf(options) };
        const trace = await traceEvent(request, ports, (logs) => output.doing(`Searching logs: ${logs}`));
        if (output.json) return output.object(trace, '', []);
        output.note(`${trace.event} ${trace.event_id}, accepted by the bus at ${trace.time}`);
        output.list(trace.deliveries, 'No Action is subscribed', trace.deliveries.flatMap(rows));
        for (const id of trace.unreadable) output.note(`Action ${id} cannot be read; its log was not searched`);
      }),
    );

  withTime(
    event
      .command('replay <event_id> <action_id>')
      .description(
        'deliver an event to an Action again with the same envelope and id; its attempts are recorded as a replay',
      )
      .option('--yes', 'do not ask for confirmation; required without a terminal'),
  )
    .addHelpText(
      'after',
      `
The envelope comes from the Action's delivery log.

Example:
  va-wave event replay 6a7e8f90-… act_… --at 2026-03-04T05:06:00Z`,
    )
    .action((eventId: string, actionId: string, options: When & { yes?: true }) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        await confirmed(commandRun, options.yes, `Deliver ${eventId} to ${actionId} again?`);
        commandRun.output.doing('Searching the log');
        const request = { eventId, actionId, search: searchOf(options) };
        commandRun.output.object(await replayEvent(request, ports), 'Sent the event to the deliveries queue');
        commandRun.output.note(`Show its attempts: ${commandRun.hint(`deliveries ${actionId}`)}`);
      }),
    );

  addFailuresReplay(event, run);
}

function rows(delivery: TracedDelivery): Row[] {
  const { action_id, name, outcome, note, attempts } = delivery;
  const common = { action_id, outcome: outcome.replace('_', ' ') };
  if (attempts.length === 0) return [{ ...common, attempt: '–', time: '–', status: '–', result: note ?? '–', name }];
  return attempts.map((attempt) => ({
    ...common,
    attempt: attemptNumber(attempt),
    time: attempt.started_at,
    status: attempt.status === null ? '–' : String(attempt.status),
    result: resultOf(attempt),
    name,
  }));
}

function resultOf({ state, success, error, sends }: TracedAttempt): string {
  const again = sends > 1 ? `, sent ${sends} times` : '';
  if (state === 'started') return `not finished${again}`;
  return `${success ? 'delivered' : (error?.code ?? 'failed')}${again}`;
}

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
