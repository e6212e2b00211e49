import type { Command } from 'commander';
import { replayEvent } from '../../src/domain/operations/replay-event.ts';
import { type TracedAttempt, type TracedDelivery, traceEvent } from '../../src/domain/operations/trace-event.ts';
import { confirmed, type Run } from '../command-run.ts';
import { searchOf, type When, withTime } from '../event-search.ts';
import type { Row } from '../output.ts';
import { attemptNumber } from './delivery.ts';
import { addFailuresReplay } from './failures-replay.ts';

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
