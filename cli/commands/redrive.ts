import { Argument, Option } from 'commander';
import * as z from 'zod';
import { parseJson } from '../../src/domain/parse-json.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { countOf, fieldsOf, type Row } from '../output.ts';
import { numberFrom, positive } from '../values.ts';

const QUEUES = ['events', 'deliveries'] as const;
type Queue = (typeof QUEUES)[number];

/** The most messages a second that SQS moves. */
const RATE_MAX = 500;

export function addTo(command: CliCommand): void {
  command
    .addArgument(new Argument('<queue>', 'the queue').choices(QUEUES))
    .option('--rate <number>', 'dead letters a second', numberFrom(1, RATE_MAX), 50)
    .option('--dry-run', 'move nothing; show the dead letters and their number')
    .option('--limit <number>', 'maximum number in a dry run', positive, 100)
    .addOption(new Option('--status', 'show the latest redrives').conflicts('dryRun'))
    .addOption(
      new Option('--cancel', 'stop the redrive; what it has moved stays moved').conflicts(['dryRun', 'status']),
    )
    .notes(`The command starts a message move task of SQS, which goes on after the command has ended, for 36 hours at most. It never shows payloads, and
repeats no completed delivery. Correct the cause first: a message that goes on failing becomes a dead letter again.`)
    .examples('va-wave redrive deliveries --dry-run', 'va-wave redrive events --rate 10 --yes --json')
    .withDeployment(
      async ({ output, context, confirm }, queue: Queue, { dryRun, limit, rate, status, cancel }: Options) => {
        const deadLetters = context.deadLetters(queue);
        if (dryRun) {
          output.showProgress('Reading dead letters');
          const { count, letterSummaries } = await inspect(queue, limit, deadLetters);
          output.list(letterSummaries, `No dead letters of ${queue}`, letterSummaries.map(row));
          if (count > 0)
            output.note(
              `About ${countOf(count, 'dead letter')} of ${queue}, ${letterSummaries.length} shown; nothing was moved`,
            );
          return;
        }
        if (status) {
          const moves = await deadLetters.moves();
          return output.list(
            moves,
            `No redrive of ${queue}`,
            moves.map((move) => Object.fromEntries(fieldsOf(move))),
          );
        }
        if (cancel) {
          const cancelled = await deadLetters.cancelMove();
          return output.object({ queue, cancelled }, cancelled ? 'The redrive ends' : 'No redrive is running');
        }
        if ((await deadLetters.moves()).some((move) => move.status === 'RUNNING'))
          throw new CommandFailure(
            EXIT.refused,
            `A redrive of ${queue} is running: --status shows it, --cancel ends it`,
          );
        const letters = await deadLetters.count();
        await confirm(`Move about ${countOf(letters, 'dead letter')} back to ${queue}, ${rate} a second?`);
        // Also at 0, because the number is approximate.
        await deadLetters.startMove(rate);
        output.object({ queue, letters, rate }, 'The redrive has begun');
      },
    );
}

type Options = {
  readonly dryRun?: true;
  readonly limit: number;
  readonly rate: number;
  readonly status?: true;
  readonly cancel?: true;
};

/** Deliveries alone have an Action and the number of their attempt. */
type Summary = ReturnType<typeof summaryOf> & { readonly action_id?: string | null; readonly attempt?: number | null };

function row({ message_id, sent_at, version, bytes, event, event_id, org_id, action_id, attempt }: Summary): Row {
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

type DeadLetterQueue = ReturnType<ConnectedRun['context']['deadLetters']>;
type DeadLetter = Awaited<ReturnType<DeadLetterQueue['receive']>>[number];

/** A text or number of a dead letter, or null where it cannot be read: a malformed message also becomes a dead letter. */
const word = z.string().nullable().catch(null);
const number = z.number().nullable().catch(null);
const UNREADABLE = { version: null, event: null, event_id: null, org_id: null };

/** The part of a dead letter that may be shown: names and ids, never the payload. An event without a version has version 1. */
const SUMMARIES = {
  events: z
    .object({
      id: word,
      'detail-type': word,
      detail: z
        .object({ org_id: word, version: z.number().nullable().default(1).catch(null) })
        .catch({ org_id: null, version: null }),
    })
    .transform(({ id, 'detail-type': event, detail }) => ({ ...detail, event, event_id: id }))
    .catch(UNREADABLE),
  deliveries: z
    .object({
      version: number,
      action_id: word,
      attempt: number,
      envelope: z.object({ id: word, event: word, org_id: word }).catch({ id: null, event: null, org_id: null }),
    })
    .transform(({ envelope: { id, event, org_id }, ...message }) => ({ ...message, event, event_id: id, org_id }))
    .catch({ ...UNREADABLE, action_id: null, attempt: null }),
} as const;

function summaryOf(queue: Queue, { message_id, sent_at, body }: DeadLetter) {
  return { message_id, sent_at, bytes: Buffer.byteLength(body), ...SUMMARIES[queue].parse(parseJson(body)) };
}

/** How many empty answers in a row mean an empty queue. One is not enough, because SQS may not have asked all its servers. */
const EMPTY_RECEIVES = 2;

/**
 * Lists the messages of a dead-letter queue and moves none (the dry run). Receiving hides a message, so the end makes them visible again.
 * @param limit how many messages to list; the returned count is that of the whole queue, which SQS only estimates
 */
async function inspect(queue: Queue, limit: number, deadLetters: DeadLetterQueue) {
  const count = await deadLetters.count();
  const inspectedLetters: DeadLetter[] = [];
  try {
    for (let emptyReceives = 0; emptyReceives < EMPTY_RECEIVES && inspectedLetters.length < limit; ) {
      const page = await deadLetters.receive();
      emptyReceives = page.length === 0 ? emptyReceives + 1 : 0;
      inspectedLetters.push(...page);
    }
  } finally {
    await deadLetters.release(inspectedLetters);
  }
  const letterSummaries = inspectedLetters.slice(0, limit).map((deadLetter) => summaryOf(queue, deadLetter));
  return { count: Math.max(count, inspectedLetters.length), letterSummaries };
}
