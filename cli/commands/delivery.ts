import type { Command } from 'commander';
import type { DeliveryRecord } from '../../src/contract/deliveries.ts';
import { FAILURE_ADVICE } from '../../src/contract/failure-advice.ts';
import { parseExactly } from '../../src/contract/json.ts';
import { type EventAttempt, eventTime, searched } from '../../src/domain/operations/event-attempts.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { Run } from '../command-run.ts';
import { searchOf, type When, withTime } from '../event-search.ts';
import { positive } from '../values.ts';

/** The names of the id that the attempts of one delivery share, by trigger. */
export const REFERENCE_NAMES: Readonly<Record<DeliveryRecord['trigger'], string>> = {
  event: 'event_id',
  form: 'submission_id',
  ai: 'call_id',
  usage: 'nonce',
};

/** Returns the id of a log. A site ID means the log of the assistant's usage webhooks. */
export const logOf = (id: string): string => (id.startsWith('site_') ? usageLogId(id) : id);

export const attemptNumber = ({ attempt, replay }: Pick<DeliveryRecord, 'attempt' | 'replay'>): string =>
  replay === null ? String(attempt) : `${attempt} (replay)`;

export function outcomeText({ state, success, error, sends }: DeliveryRecord): string {
  const again = sends > 1 ? `, sent ${sends} times` : '';
  if (state === 'started') return `not finished${again}`;
  const cause = error === null ? '' : `${success ? ', ' : ': '}${error.code}: ${error.message}`;
  return `${success ? 'delivered' : 'failed'}${cause}${again}`;
}

/** Adds the commands for one delivery of the log. */
export function addDeliveryCommands(delivery: Command, run: Run): void {
  withTime(
    delivery
      .command('show <id> <event_id>')
      .description('show one attempt with its request, its response and the meaning of a failure')
      .option('--attempt <number>', 'number of the attempt (default: the latest attempt)', positive),
  )
    .addHelpText(
      'after',
      `
The first id is the id of an Action, or of an assistant for its usage webhooks. va-wave deliveries shows the second id: an event's id, a
form's submission id, the id of a call, or the nonce of a usage report. The payload can contain what visitors wrote.

Examples:
  va-wave delivery show act_… 6a7e8f90-…
  va-wave delivery show act_… 6a7e8f90-… --attempt 1 --json`,
    )
    .action((id: string, reference: string, options: When & { attempt?: number }) =>
      run(async ({ output, deployment }) => {
        const ports = await deployment();
        const search = searchOf(options);
        output.doing('Searching the log');
        const found = await ports.eventAttempts(logOf(id), reference, eventTime(search, ports.now));
        const record = found
          .filter(({ attempt }) => options.attempt === undefined || attempt === options.attempt)
          .toSorted((a, b) => a.started_at.localeCompare(b.started_at))
          .at(-1);
        if (record === undefined) {
          const which =
            options.attempt === undefined || found.length === 0 ? 'no attempt' : `no attempt ${options.attempt}`;
          throw new Refusal('event_not_found', {
            message: `event_id: the log of ${id} has ${which} of ${reference} ${searched(search)}`,
          });
        }
        output.object(record, 'Attempt', attemptFields(record, found.length));
        if (record.payload !== null) {
          output.block(
            record.payload_cut ? 'Payload (the log contains only its beginning)' : 'Payload',
            readable(record.payload),
          );
        }
        if (record.response_excerpt) output.block('Response (at most 2000 characters)', record.response_excerpt);
      }),
    );
}

function attemptFields(record: EventAttempt, attempts: number): [string, string][] {
  const { error } = record;
  return [
    ['action_id', record.action_id],
    [REFERENCE_NAMES[record.trigger], record.reference],
    ['trigger', `${record.trigger} ${record.trigger_ref}`],
    ['event time', record.event_time],
    ['attempt', `${attemptNumber(record)}, of ${attempts} in the log`],
    ['started', record.started_at],
    ['outcome', outcomeText(record)],
    ...(error === null ? [] : [['meaning', FAILURE_ADVICE[error.code]] satisfies [string, string]]),
    ['status', record.status === null ? '' : String(record.status)],
    ...(record.trace_id === undefined ? [] : [['trace', record.trace_id] satisfies [string, string]]),
    ...(record.erased_at === undefined ? [] : [['erased', record.erased_at] satisfies [string, string]]),
    ['latency', record.latency_ms === null ? '' : `${record.latency_ms} ms`],
  ];
}

/** Returns indented JSON, or any other text unchanged. */
function readable(payload: string): string {
  try {
    return JSON.stringify(parseExactly(payload), null, 2);
  } catch {
    return payload;
  }
}
