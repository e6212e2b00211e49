import type { Command } from 'commander';
import { requireAction } from '../../src/domain/actions/manage-actions.ts';
import type { EventAttempt } from '../../src/domain/operations/event-attempts.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import type { CommandRun, Run } from '../command-run.ts';
import { attemptFilter, type FilterOptions, withFilter } from '../delivery-filter.ts';
import type { Deployment } from '../deployment.ts';
import type { Row } from '../output.ts';
import { plainText } from '../plain-text.ts';
import { positive } from '../values.ts';
import { attemptNumber, logOf, outcomeText, REFERENCE_NAMES } from './delivery.ts';

const FOLLOW_PAUSE_MS = 1000;
/** Records to read for the latest attempts. The log is sorted by the event's time, and a replay can start long after the event. */
const LOOK_BACK = 500;
/** Records that --follow reads each time. */
const FOLLOW_LOOKS_BACK = 200;

type Options = FilterOptions & { readonly limit: number; readonly lookBack: number; readonly follow?: true };

/** The delivery log. */
export function addDeliveriesCommand(command: Command, run: Run): void {
  withFilter(command)
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
        const { output } = commandRun;
        const ports = await commandRun.deployment();
        const matches = attemptFilter(options, ports.now());
        output.doing('Reading the delivery log');
        const logId = logOf(id);
        const records = await latest(ports, logId, Math.max(options.lookBack, options.limit));
        // A log remains after its Action is deleted.
        if (records.length === 0) await (logId === id ? requireAction(id, ports) : requireAssistant(id, ports));
        const matching = records.filter(matches);
        const shown = matching.slice(0, options.limit);
        if (options.follow) {
          const read = () => latest(ports, logId, FOLLOW_LOOKS_BACK);
          return follow(commandRun, { read, earlier: records, first: shown, matches });
        }
        const none = records.length === 0 ? 'No deliveries yet' : 'No such deliveries';
        output.list(shown, none, shown.map(row));
        if (matching.length > options.limit) output.note('More exist; use --limit to show more');
        else if (records.length >= options.lookBack) {
          output.note(`Searched the newest ${records.length} records; use --look-back to search more`);
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

/** Shows the first attempts, the oldest first, and then each attempt when it ends, until Ctrl-C. */
async function follow({ output, cliProcess }: CommandRun, { read, earlier, first, matches }: Following): Promise<void> {
  const nameOf = ({ reference, attempt, started_at }: EventAttempt) => `${reference} ${attempt} ${started_at}`;
  const hasEnded = ({ state }: EventAttempt) => state !== 'started';
  const show = (records: readonly EventAttempt[]) => {
    for (const record of records.toReversed()) output.line(record, () => followLine(record));
  };
  const known = new Set(earlier.filter(hasEnded).map(nameOf));
  output.done();
  show(first.filter(hasEnded));
  while (await cliProcess.pause(FOLLOW_PAUSE_MS)) {
    const ended = (await read()).filter((record) => hasEnded(record) && !known.has(nameOf(record)));
    for (const record of ended) known.add(nameOf(record));
    show(ended.filter(matches));
  }
}

type Following = {
  readonly read: () => Promise<readonly EventAttempt[]>;
  readonly earlier: readonly EventAttempt[];
  readonly first: readonly EventAttempt[];
  readonly matches: (record: EventAttempt) => boolean;
};

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
  return `${cells.map(([name, value]) => plainText(value).padEnd(widths[name] ?? 0)).join('  ')}\n`;
}
