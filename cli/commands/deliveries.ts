import type { Command } from 'commander';
import { requireAction } from '../../src/domain/actions/manage-actions.ts';
import type { EventAttempt } from '../../src/domain/operations/event-attempts.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import type { CommandRun, Run } from '../command-run.ts';
import { attemptFilter, type FilterOptions, withFilter } from '../delivery-filter.ts';
import type { Deployment } from '../deployment.ts';
import type { Row } from '../output.ts';
import { table } from '../table.ts';
import { positive } from '../values.ts';
import { attemptNumber, logOf, outcomeText, REFERENCE_NAMES } from './delivery.ts';

const FOLLOW_PAUSE_MS = 1000;
/** Records to read for the latest attempts. The log is sorted by the event's time, and a replay can start long after the event. */
const LOOK_BACK = 500;
/** Records that --follow reads each time. */
const FOLLOW_LOOKS_BACK = 200;

type Matches = (record: EventAttempt) => boolean;
type Options = FilterOptions & { readonly limit: number; readonly lookBack: number; readonly follow?: true };

/** The delivery log. */
export function addDeliveriesCommand(program: Command, run: Run): void {
  withFilter(
    program
      .command('deliveries <id>')
      .description(
        'show the delivery log of an Action, or of the usage webhooks of an assistant: latest attempt first',
      ),
  )
    .option('--limit <number>', 'maximum number of attempts', positive, 20)
    .option('--look-back <number>', 'how many records to search, from the newest event on', positive, LOOK_BACK)
    .option(
      '--follow',
      'show the attempts, the oldest first, then each attempt when it ends, until Ctrl-C; with --json, one object per line',
    )
    .addHelpText(
      'after',
      `
The command reads the records of the newest events and sorts the attempts by their start. An attempt of an older event, such as a
replay, may need a larger --look-back. --follow reads the newest ${FOLLOW_LOOKS_BACK} records each second. delivery show and --json print
payloads and responses.

Examples:
  va-wave deliveries act_…
  va-wave deliveries act_… --limit 1 --json
  va-wave deliveries act_… --outcome failed --since 2h
  va-wave deliveries site_… --follow`,
    )
    .action((id: string, options: Options) =>
      run(async (commandRun) => {
        const ports = await commandRun.deployment();
        const matches = attemptFilter(options, ports.now());
        commandRun.progress.doing('Reading the delivery log');
        const logId = logOf(id);
        const records = await latest(ports, logId, Math.max(options.lookBack, options.limit));
        // A log remains after its Action is deleted.
        if (records.length === 0) await (logId === id ? requireAction(id, ports) : requireAssistant(id, ports));
        commandRun.progress.end();
        const matching = records.filter(matches);
        const shown = matching.slice(0, options.limit);
        if (options.follow) return follow(commandRun, ports, logId, { earlier: records, first: shown, matches });
        const none = records.length === 0 ? 'No deliveries yet' : 'No such deliveries';
        commandRun.output.list(shown, none, shown.map(row));
        if (matching.length > options.limit) commandRun.output.note('More exist; use --limit to show more');
        else if (records.length >= options.lookBack) {
          commandRun.output.note(`Searched the newest ${records.length} records; use --look-back to search more`);
        }
      }),
    );
}

/** Reads the records of the newest events and sorts them by start, the latest attempt first. */
async function latest(ports: Deployment, logId: string, lookBack: number): Promise<EventAttempt[]> {
  const records: EventAttempt[] = [];
  for await (const record of ports.deliveryRecords(logId)) {
    if (records.push(record) === lookBack) break;
  }
  return records.sort((a, b) => b.started_at.localeCompare(a.started_at));
}

async function follow(
  { output, cliProcess }: CommandRun,
  ports: Deployment,
  logId: string,
  start: {
    readonly earlier: readonly EventAttempt[];
    readonly first: readonly EventAttempt[];
    readonly matches: Matches;
  },
): Promise<void> {
  const nameOf = ({ reference, attempt, started_at }: EventAttempt) => `${reference} ${attempt} ${started_at}`;
  const shown = new Set<string>();
  const show = (records: readonly EventAttempt[]) => {
    for (const record of records.toReversed()) {
      const name = nameOf(record);
      if (record.state === 'started' || shown.has(name)) continue;
      shown.add(name);
      if (start.matches(record)) output.line(record, () => followLine(record));
    }
  };
  const begun = new Set(start.first);
  // Attempts that ended before the first read are not new. Attempts that were in progress then are.
  for (const old of start.earlier) {
    if (!begun.has(old) && old.state !== 'started') shown.add(nameOf(old));
  }
  show(start.first);
  while (await cliProcess.pause(FOLLOW_PAUSE_MS)) show(await latest(ports, logId, FOLLOW_LOOKS_BACK));
}

function row(record: EventAttempt): Row {
  return {
    time: record.started_at,
    trigger: record.trigger,
    ref: record.trigger_ref,
    [REFERENCE_NAMES[record.trigger]]: record.reference,
    attempt: attemptNumber(record),
    status: record.status === null ? '–' : String(record.status),
    ms: record.latency_ms === null ? '–' : String(record.latency_ms),
    outcome: outcomeText(record),
  };
}

/** Returns one row of the table without its heading. The columns have the widths of usual values. */
function followLine(record: EventAttempt): string {
  const cells = Object.entries(row(record));
  const widths: Readonly<Record<string, number>> = { trigger: 7, ref: 22, attempt: 1, status: 3, ms: 5 };
  const padded = cells.map(([name, value]) => [name, value.padEnd(widths[name] ?? 0)]);
  return table([Object.fromEntries(padded)])
    .split('\n')
    .slice(1)
    .join('\n');
}
