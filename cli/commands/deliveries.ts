import type { Command } from 'commander';
import type { DeliveryRecord } from '../../src/contract/deliveries.ts';
import { requireAction } from '../../src/domain/actions/manage-actions.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { Deployment } from '../deployment.ts';
import type { Row } from '../output.ts';
import type { Run, Session } from '../session.ts';
import { table } from '../table.ts';
import { positive } from '../values.ts';

const FOLLOW_PAUSE_MS = 1000;
/** What a look at the log reads anew. A retry stands beside its first attempt, and so below newer deliveries. */
const FOLLOW_LOOKS_BACK = 200;

/** The delivery log. */
export function addDeliveriesCommand(program: Command, run: Run): void {
  program
    .command('deliveries <id>')
    .description('show the delivery log of an Action, or of the usage webhooks of an assistant: newest first')
    .option('--limit <number>', 'how many attempts', positive, 20)
    .option('--follow', 'oldest first, then every attempt as it ends, until Ctrl-C; with --json, an object per line')
    .addHelpText(
      'after',
      `
Payloads and responses are only in --json.

Examples:
  va-wave deliveries act_…
  va-wave deliveries act_… --limit 1 --json
  va-wave deliveries site_… --follow`,
    )
    .action((id: string, options: { limit: number; follow?: true }) =>
      run(async (session) => {
        const ports = await session.deployment();
        session.progress.doing('Reading the delivery log');
        const logId = id.startsWith('site_') ? usageLogId(id) : id;
        const records = await newest(ports, logId, options.limit);
        // The log outlives its Action.
        if (records.length === 0) await (logId === id ? requireAction(id, ports) : requireAssistant(id, ports));
        session.progress.end();
        if (options.follow) return follow(session, ports, logId, records);
        session.output.list(records, 'No deliveries yet', records.map(row));
      }),
    );
}

async function newest(ports: Deployment, logId: string, limit: number): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for await (const record of ports.deliveryRecords(logId)) {
    if (records.push(record) === limit) break;
  }
  return records;
}

async function follow(
  { output, world }: Session,
  ports: Deployment,
  logId: string,
  first: readonly DeliveryRecord[],
): Promise<void> {
  const shown = new Set<string>();
  const show = (records: readonly DeliveryRecord[]) => {
    for (const record of records.toReversed()) {
      const name = `${record.reference} ${record.attempt} ${record.started_at}`;
      if (record.state === 'started' || shown.has(name)) continue;
      shown.add(name);
      output.line(record, () => followLine(record));
    }
  };
  // What is older than the first look is not news.
  for (const old of (await newest(ports, logId, FOLLOW_LOOKS_BACK)).slice(first.length)) {
    shown.add(`${old.reference} ${old.attempt} ${old.started_at}`);
  }
  show(first);
  while (await world.pause(FOLLOW_PAUSE_MS)) show(await newest(ports, logId, FOLLOW_LOOKS_BACK));
}

function row(record: DeliveryRecord): Row {
  return {
    time: record.started_at,
    trigger: record.trigger,
    ref: record.trigger_ref,
    attempt: record.replay === null ? String(record.attempt) : `${record.attempt} (replay)`,
    status: record.status === null ? '–' : String(record.status),
    ms: record.latency_ms === null ? '–' : String(record.latency_ms),
    outcome: outcome(record),
  };
}

function outcome({ state, success, error, sends }: DeliveryRecord): string {
  const again = sends > 1 ? `, sent ${sends} times` : '';
  if (state === 'started') return `not finished${again}`;
  const cause = error === null ? '' : `${success ? ', ' : ': '}${error.code}: ${error.message}`;
  return `${success ? 'delivered' : 'failed'}${cause}${again}`;
}

/** A table of one row, without its heading: the widths are those of usual values. */
function followLine(record: DeliveryRecord): string {
  const cells = Object.entries(row(record));
  const widths: Readonly<Record<string, number>> = { trigger: 7, ref: 22, attempt: 1, status: 3, ms: 5 };
  const padded = cells.map(([name, value]) => [name, value.padEnd(widths[name] ?? 0)]);
  return table([Object.fromEntries(padded)])
    .split('\n')
    .slice(1)
    .join('\n');
}
