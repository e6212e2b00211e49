import { EVENT_CATALOG, EVENT_NAMES } from '../../src/contract/events.ts';
import { putEvent } from '../../src/domain/events/put-event.ts';
import { requireReadable } from '../../src/domain/organizations/suspension-and-quota.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { ServiceError } from '../../src/domain/service-error.ts';
import type { CliCommand } from '../command.ts';
import { failedEvents, replayEvent, type TracedDelivery, traceEvent } from '../operations/past-events.ts';
import { countOf, type Row } from '../output.ts';
import { jsonValue, type Moment, type SearchStart, searchEnd, sinceOption, sinceTime, withAt } from '../values.ts';
import { attemptNumber, outcomeText } from './deliveries.ts';

export function addTo(event: CliCommand): void {
  event
    .command('put <event>')
    .description('put an event of an organization or an assistant on the bus')
    .requiredOption('--org <org_id>', 'organization')
    .option('--site <site_id>', 'assistant; without it, the event belongs to the organization')
    .option('--data <json>', "the event's data: JSON, @file, or @- for stdin", '{}')
    .examples(
      `va-wave event put conversation.started --org org_… --site site_… --data '{"conversation_id": "c1"}'`,
      'va-wave event put contact.created --org org_… --data @contact.json',
    )
    .withDeployment(
      async ({ output, context, cliProcess }, name: string, options: { org: string; site?: string; data: string }) => {
        const data = await jsonValue('data', options.data, cliProcess);
        const input = { event: name, org_id: options.org, site_id: options.site, data };
        const { unreadable, ...sentEvent } = await putEvent(input, context);
        output.object(sentEvent, 'Put the event on the bus');
        if (sentEvent.is_reserved) return output.note(`Warning: ${name} is reserved: it is never delivered`);
        requireReadable(unreadable);
        if (sentEvent.subscriber_ids.length === 0) output.note(`Warning: no enabled Action is subscribed to ${name}`);
      },
    );

  event
    .command('list')
    .description('list the events of the catalog; needs no deployment')
    .examples('va-wave event list')
    .alone(async ({ output }) => {
      const events = EVENT_NAMES.map((name) => {
        const { group, firesWhen: fires_when, reserved } = EVENT_CATALOG[name];
        return { event: name, group, fires_when, reserved };
      });
      output.list(
        events,
        '',
        events.map(({ event: name, group, fires_when, reserved }) => ({
          event: name,
          group,
          'fires when': reserved ? `${fires_when} (reserved: never delivered)` : fires_when,
        })),
      );
    });

  withAt(
    event
      .command('trace <event_id>')
      .description('show the subscribed Actions of an event, and each attempt with its outcome')
      .requiredOption('--org <org_id>', 'organization that the event belongs to'),
  )
    .notes(`The event id is the id of the envelope. The command searches the logs of all Event Actions of the organization, the newest event first. It does
not search the logs of deleted Actions.`)
    .examples(
      'va-wave event trace 6a7e8f90-… --org org_…',
      'va-wave event trace 6a7e8f90-… --org org_… --at 2026-03-04T05:06:00Z --json',
    )
    .withDeployment(async ({ output, context }, eventId: string, options: SearchStart & { org: string }) => {
      output.showProgress('Searching the logs');
      const trace = await traceEvent(
        { eventId, orgId: options.org, until: searchEnd(options, context.now()) },
        context,
      );
      output.note(`${trace.event} ${trace.event_id}, of ${trace.time}`);
      // `traceEvent` refuses an event without an attempt.
      output.list(trace, '', trace.deliveries.flatMap(rowsOf), trace.unreadable.map(unsearchedLog));
    });

  withAt(
    event
      .command('replay <event_id> <action_id>')
      .description('deliver an event to an Action again, with the same envelope and id'),
  )
    .notes(`The envelope comes from the Action's delivery log.`)
    .examples('va-wave event replay 6a7e8f90-… act_… --at 2026-03-04T05:06:00Z')
    .withDeployment(
      async ({ output, context, confirm, hint }, eventId: string, actionId: string, options: SearchStart) => {
        await confirm(`Deliver ${eventId} to ${actionId} again?`);
        output.showProgress('Searching the log');
        const replay = await replayEvent(actionId, { eventId, until: searchEnd(options, context.now()) }, context);
        output.object(replay, 'Sent the event to the deliveries queue');
        output.note(`Show its attempts: ${hint(`deliveries ${actionId}`)}`);
      },
    );

  event
    .command('replay-failed <action_id>')
    .description('deliver all events again that failed for an Action since a time')
    .addOption(sinceOption('when they failed').makeOptionMandatory())
    .option('--dry-run', 'send nothing; list the events that would be sent')
    .notes(`The command reads the whole log of the Action. It sends the oldest event first, each with its own id, like event replay. It omits events that were delivered, also by a replay,
events in progress, and test.ping. It cannot send an event without a complete envelope in the log, and lists it under unsent. After an interruption, run it again.
A replay that still waits, or that another operator starts at the same time, is sent once.`)
    .examples(
      'va-wave event replay-failed act_… --since 6h --dry-run',
      'va-wave event replay-failed act_… --since 2026-03-04T05:00:00Z --yes',
    )
    .withDeployment(
      async ({ output, context, confirm }, actionId: string, options: { since: Moment; dryRun?: true }) => {
        const since = sinceTime(options.since, context.now());
        const failures = await failedEvents({ actionId, since }, context, (records) =>
          output.showProgress(`Reading the log: ${records}`),
        );
        const events = countOf(failures.length, 'event');
        if (options.dryRun) {
          const rows = failures.map(({ event_id, event, failed_at, attempts, error }) => ({
            event_id,
            event,
            failed: failed_at,
            attempts: String(attempts),
            reason: error === null ? '–' : `${error.code}: ${error.message}`,
          }));
          output.list(failures, `Nothing failed since ${since}`, rows);
          if (failures.length > 0) output.note(`${events} would be delivered again; nothing was sent`);
          return;
        }
        // A record that cannot be read may be that of a success, after which nothing is to be sent.
        requireReadable(context.unreadableRecords());
        if (failures.length > 0) await confirm(`Deliver ${events} to ${actionId} again?`);
        const unsent: Record<string, string> = {};
        for (const [index, { event_id: eventId, event_time: time, replay }] of failures.entries()) {
          await context.step(`Delivering again: ${index + 1} of ${failures.length}`);
          const reason = await sentOrReason(() => replayEvent(actionId, { eventId, time, replay }, context));
          if (reason !== undefined) unsent[eventId] = reason;
        }
        const sentCount = failures.length - Object.keys(unsent).length;
        const nothingSent = failures.length === 0 ? `Nothing failed since ${since}` : 'Sent no event';
        output.object(
          { action_id: actionId, since, sent: sentCount, unsent },
          sentCount > 0 ? 'Sent the events to the deliveries queue' : nothingSent,
        );
      },
    );
}

const unsearchedLog = (actionId: string) => ({
  cause: new ServiceError(`Action ${actionId} cannot be read; its log was not searched`),
});

/** Returns a row for each attempt of a delivery, or one row that says why there is none. */
function rowsOf({ action_id, name, outcome, note, attempts }: TracedDelivery): Row[] {
  const common = { action_id, outcome: outcome.replace('_', ' ') };
  if (attempts.length === 0) return [{ ...common, attempt: '–', time: '–', status: '–', result: note ?? '–', name }];
  return attempts.map((attempt) => ({
    ...common,
    attempt: attemptNumber(attempt),
    time: attempt.started_at,
    status: String(attempt.status ?? '–'),
    result: outcomeText(attempt),
    name,
  }));
}

/** The last one when the records have expired since the event was found. */
const CONCERNS_ONE_EVENT: ReadonlySet<string> = new Set(['envelope_not_kept', 'envelope_too_large', 'event_not_found']);

/** Replays one event. @returns the reason why this event cannot be sent again, or undefined @throws any error that concerns all events */
async function sentOrReason(replay: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await replay();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && CONCERNS_ONE_EVENT.has(error.code)) return error.message;
    throw error;
  }
}
