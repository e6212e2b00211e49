import { Option } from 'commander';
import { type DeliveryRecord, FAILURES } from '../../src/contract/delivery-record.ts';
import { requireAction } from '../../src/domain/actions/manage-actions.ts';
import { auditRecordOf, subjectOf } from '../../src/domain/organizations/changes.ts';
import { requireAssistant } from '../../src/domain/organizations/manage-assistants.ts';
import { parseJson } from '../../src/domain/parse-json.ts';
import { invalidField, Refusal } from '../../src/domain/refusal.ts';
import { ServiceError } from '../../src/domain/service-error.ts';
import { usageLogId } from '../../src/domain/usage/report-usage.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { attemptsOf, searchedBefore, type TracedAttempt } from '../operations/past-events.ts';
import { fieldsOf, type Row } from '../output.ts';
import { type Moment, positive, type SearchStart, searchEnd, sinceOption, sinceTime, withAt } from '../values.ts';

const FOLLOW_PAUSE_MS = 1000;
/** So many records are read for the latest attempts, because the log is sorted by the event's time, and a replay can start long after it. */
const LOOK_BACK_RECORDS = 500;
/** Records that --follow reads each time. */
const FOLLOW_LOOK_BACK_RECORDS = 200;
const DEFAULT_LIMIT = 20;
const OUTCOMES = ['delivered', 'failed', 'unfinished'] as const;

type ListOptions = {
  readonly outcome?: (typeof OUTCOMES)[number];
  readonly since?: Moment;
  readonly limit?: number;
  readonly follow?: true;
};
type ShowOptions = SearchStart & { readonly attempt?: number };
/** The options that need an event id. The others take none. */
const SHOW_OPTIONS: ReadonlySet<string> = new Set(['attempt', 'at'] satisfies (keyof ShowOptions)[]);

export function addTo(command: CliCommand): void {
  withAt(
    command
      .argument('<id>', 'an Action, or an assistant for its usage webhooks')
      .argument('[event_id]', 'show one attempt with its request, its response and the meaning of a failure')
      .addOption(new Option('--outcome <outcome>', 'only attempts with this outcome').choices(OUTCOMES))
      .addOption(sinceOption('only attempts since'))
      .option('--limit <number>', `maximum number of attempts (default: ${DEFAULT_LIMIT})`, positive)
      .option('--follow', 'show the attempts, the oldest first, then each attempt when it ends, until Ctrl-C')
      .option('--attempt <number>', 'with an event id: the attempt (default: the latest)', positive),
  )
    .notes(`Without an event id, the command lists the attempts, the latest first, of the newest ${LOOK_BACK_RECORDS} records of the log, or as many as --limit;
va-wave export has all. --attempt and --at need an event id; the other options take none. With --since it reads the whole log. --follow reads the newest
${FOLLOW_LOOK_BACK_RECORDS} records each second. Newest means: with the latest time of the event, which its publisher names; a replay of an old event is among
the old. The id of another trigger is a form's submission id, the id of a call, or the nonce of a usage report. Only --json and an event id print
payloads and responses, which can contain what visitors wrote.`)
    .examples(
      'va-wave deliveries act_…',
      'va-wave deliveries act_… --outcome failed --since 2h',
      'va-wave deliveries site_… --follow',
      'va-wave deliveries act_… 6a7e8f90-… --attempt 1 --json',
    )
    .withDeployment(
      async (commandRun, id: string, reference: string | undefined, options: ListOptions & ShowOptions) => {
        const misplacedOption = Object.keys(options).find(
          (name) => SHOW_OPTIONS.has(name) === (reference === undefined),
        );
        if (misplacedOption !== undefined)
          throw invalidField(misplacedOption, `${reference === undefined ? 'needs an' : 'takes no'} event id`);
        const { context, output } = commandRun;
        // What has been deleted has no owner, and no audit trail of which its log would tell. An organization has no log.
        const orgId = id.startsWith('org_') ? undefined : await context.store.ownerOf(id);
        if (orgId !== undefined && (reference !== undefined || output.json))
          await context.store.record(auditRecordOf('read_deliveries', await logSubject(id, orgId, context), context));
        await (reference === undefined
          ? list(id, orgId, options, commandRun)
          : show(id, reference, options, commandRun));
      },
    );
}

/** Returns the id of a log. A site ID means the log of the assistant's usage webhooks. */
const logOf = (id: string): string => (id.startsWith('site_') ? usageLogId(id) : id);

/** Returns what an audit record says of the Action or the assistant of a log, or only what its id says where it cannot be read. */
async function logSubject(id: string, orgId: string, { store }: ConnectedRun['context']) {
  const isAssistant = logOf(id) !== id;
  try {
    const entity = await (isAssistant ? store.findAssistant(id) : store.findActionById(id));
    if (entity !== undefined) return subjectOf(entity);
  } catch (cause) {
    // An item that cannot be read is a ServiceError; any other error is a fault of the storage.
    if (!(cause instanceof ServiceError)) throw cause;
  }
  return { org_id: orgId, site_id: isAssistant ? id : '', entity_id: id };
}

/** Lists the latest attempts of a log, and with --follow prints each further attempt when it ends. */
async function list(id: string, orgId: string | undefined, options: ListOptions, commandRun: ConnectedRun) {
  const { output, context } = commandRun;
  const { outcome, limit = DEFAULT_LIMIT } = options;
  const since = options.since && sinceTime(options.since, context.now());
  const matches = (record: DeliveryRecord) =>
    (outcome === undefined || outcomeOf(record) === outcome) && (since === undefined || record.started_at >= since);
  const logId = logOf(id);
  const lookBack = Math.max(LOOK_BACK_RECORDS, limit + 1);
  output.showProgress('Reading the log');
  // Read first, so that --follow misses no attempt that ends while the list is read.
  const atStart = options.follow ? await newest(logId, FOLLOW_LOOK_BACK_RECORDS, context) : [];
  // One more than is shown tells whether more exist.
  const records =
    since === undefined
      ? await newest(logId, lookBack, context)
      : await latestSince(logId, since, limit + 1, matches, context);
  const isEmpty = records.length === 0 && (await newest(logId, 1, context)).length === 0;
  // An id without a log must be that of an Action or an assistant. With a log it need not, because the log of a deleted Action remains.
  if (isEmpty && orgId === undefined) await (logId === id ? requireAction(id, context) : requireAssistant(id, context));
  const matchingRecords = records.filter(matches);
  const shownRecords = matchingRecords.slice(0, limit);
  if (options.follow) return follow(logId, shownRecords, atStart, matches, commandRun);
  output.list(shownRecords, isEmpty ? 'No deliveries yet' : 'No such deliveries', shownRecords.map(row));
  if (matchingRecords.length > limit) output.note('More exist; use --limit to show more');
  else if (since === undefined && records.length === lookBack)
    output.note(`Searched the newest ${records.length} records`);
}

const latestFirst = (a: DeliveryRecord, b: DeliveryRecord) => b.started_at.localeCompare(a.started_at);

/** Reads the records of the newest events of a log, at most `count`. @returns them, the latest attempt first */
async function newest(logId: string, count: number, context: ConnectedRun['context']): Promise<DeliveryRecord[]> {
  const records: DeliveryRecord[] = [];
  for await (const record of context.deliveryRecords(logId)) {
    records.push(record);
    if (records.length === count) break;
  }
  return records.sort(latestFirst);
}

/** Reads the whole log since a time. @returns the latest matching attempts, `count` if there are so many, the latest first */
async function latestSince(
  logId: string,
  since: string,
  count: number,
  matches: (record: DeliveryRecord) => boolean,
  context: ConnectedRun['context'],
): Promise<DeliveryRecord[]> {
  let records: DeliveryRecord[] = [];
  for await (const record of context.deliveryRecords(logId, since)) {
    if (matches(record)) records.push(record);
    // Sorted and cut on the way, so that few records are in memory, however long the log is.
    if (records.length === 2 * count) records = records.sort(latestFirst).slice(0, count);
  }
  return records.sort(latestFirst).slice(0, count);
}

/** Prints the ended attempts of the list, the oldest first, then each matching attempt when it ends, until Ctrl-C. @param atStart records of which the ended ones are not news */
async function follow(
  logId: string,
  shownRecords: readonly DeliveryRecord[],
  atStart: readonly DeliveryRecord[],
  matches: (record: DeliveryRecord) => boolean,
  { output, context, cliProcess }: ConnectedRun,
): Promise<void> {
  const nameOf = ({ reference, attempt, started_at }: DeliveryRecord) => `${reference} ${attempt} ${started_at}`;
  const hasEnded = ({ state }: DeliveryRecord) => state !== 'started';
  const print = (records: readonly DeliveryRecord[]) => {
    for (const record of records.toReversed()) output.entry(record, followLine(record));
  };
  const printedNames = new Set([...atStart, ...shownRecords].filter(hasEnded).map(nameOf));
  output.endProgress();
  print(shownRecords.filter(hasEnded));
  while (await cliProcess.pause(FOLLOW_PAUSE_MS)) {
    const records = await newest(logId, FOLLOW_LOOK_BACK_RECORDS, context);
    const endedRecords = records.filter((record) => hasEnded(record) && !printedNames.has(nameOf(record)));
    for (const record of endedRecords) printedNames.add(nameOf(record));
    print(endedRecords.filter(matches));
  }
}

async function show(id: string, reference: string, options: ShowOptions, { output, context }: ConnectedRun) {
  const until = searchEnd(options, context.now());
  output.showProgress('Searching the log');
  const attemptRecords = await attemptsOf(logOf(id), { eventId: reference, until }, context);
  const record = attemptRecords
    .filter(({ attempt }) => options.attempt === undefined || attempt === options.attempt)
    .toSorted((a, b) => a.started_at.localeCompare(b.started_at))
    .at(-1);
  if (record === undefined) {
    const which =
      options.attempt === undefined || attemptRecords.length === 0 ? 'no attempt' : `no attempt ${options.attempt}`;
    throw new Refusal('event_not_found', {
      problem: `the log of ${id} has ${which} of ${reference}${searchedBefore(until)}`,
    });
  }
  const { payload, response_excerpt, ...rest } = record;
  const meaningField = record.error === null ? {} : { meaning: FAILURES[record.error.code].advice };
  output.object(
    record,
    `Attempt, of ${attemptRecords.length} in the log`,
    fieldsOf({ outcome: outcomeText(record), ...meaningField, ...rest }),
  );
  const title = record.payload_cut ? 'Payload (the log contains only its beginning)' : 'Payload';
  // Undefined for a text that is not JSON.
  if (payload !== null) output.block(title, JSON.stringify(parseJson(payload), null, 2) ?? payload);
  if (response_excerpt) output.block('Response (at most 2000 characters)', response_excerpt);
}

function outcomeOf({ state, success }: TracedAttempt): (typeof OUTCOMES)[number] {
  return state === 'started' ? 'unfinished' : success ? 'delivered' : 'failed';
}

export function outcomeText(attempt: TracedAttempt): string {
  const { success, error, sends } = attempt;
  const outcome = outcomeOf(attempt).replace('unfinished', 'not finished');
  const cause = error === null ? '' : `${success ? ', ' : ': '}${error.code}: ${error.message}`;
  return `${outcome}${cause}${sends > 1 ? `, sent ${sends} times` : ''}`;
}

/** The names of the id that the attempts of one delivery share, by trigger. */
const REFERENCE_NAMES: Readonly<Record<DeliveryRecord['trigger'], string>> = {
  event: 'event_id',
  form: 'submission_id',
  ai: 'call_id',
  usage: 'nonce',
};

function row(record: DeliveryRecord): Row {
  return {
    time: record.started_at,
    trigger: record.trigger,
    ref: record.trigger_ref,
    attempt: attemptNumber(record),
    status: String(record.status ?? '–'),
    ms: String(record.latency_ms ?? '–'),
    [REFERENCE_NAMES[record.trigger]]: record.reference,
    outcome: outcomeText(record),
  };
}

export const attemptNumber = ({ attempt, replay }: Pick<DeliveryRecord, 'attempt' | 'replay'>): string =>
  replay === null ? String(attempt) : `${attempt} (replay)`;

/** Returns one row of the table without its heading. The columns have the widths of usual values. */
function followLine(record: DeliveryRecord): string {
  const widths: Readonly<Record<string, number>> = { trigger: 7, ref: 22, attempt: 1, status: 3, ms: 5 };
  return Object.entries(row(record))
    .map(([name, value]) => value.padEnd(widths[name] ?? 0))
    .join('  ');
}
