import { Argument } from 'commander';
import * as z from 'zod';
import { parseJson } from '../../src/domain/parse-json.ts';
import type { CliCommand, ConnectedRun } from '../command.ts';
import { countOf, type Row } from '../output.ts';
import { positive } from '../values.ts';

/** The two queues whose dead letters an operator can move back. */
const QUEUES = ['events', 'deliveries'] as const;
type Queue = (typeof QUEUES)[number];

/** Adds the command for dead letters, which are messages that va-wave could not process. */
export function addTo(command: CliCommand): void {
  command
    .addArgument(new Argument('<queue>', 'the queue').choices(QUEUES))
    .option('--dry-run', 'move nothing; show the dead letters and their number')
    .option('--limit <number>', 'maximum number in a dry run', positive, 100)
    .notes(`The command never shows payloads. It repeats no completed delivery. After an interruption, run it again. Correct the cause first: a
message that goes on failing becomes a dead letter again. Do not use a move task of SQS: it gives messages new ids, and attempts in
progress would be lost.`)
    .examples('va-wave redrive deliveries --dry-run', 'va-wave redrive events --yes --json')
    .withDeployment(
      async ({ output, context, confirm }, queue: Queue, { dryRun, limit }: { dryRun?: true; limit: number }) => {
        const deadLetters = context.deadLetters(queue);
        if (dryRun) {
          output.showProgress('Reading dead letters');
          const { count, shown } = await inspect(queue, limit, deadLetters);
          output.list(shown, `No dead letters of ${queue}`, shown.map(row));
          if (count > 0)
            output.note(`About ${countOf(count, 'dead letter')} of ${queue}, ${shown.length} shown; nothing was moved`);
          return;
        }
        await confirm(`Move about ${countOf(await deadLetters.count(), 'dead letter')} back to ${queue}?`);
        output.showProgress('Moving dead letters');
        const done = await redrive(deadLetters, (moved) => output.showProgress(`Moving dead letters: ${moved}`));
        output.object({ queue, ...done }, 'Moved the dead letters');
      },
    );
}

/** Deliveries alone have an Action and the number of their attempt. */
type Summary = ReturnType<typeof summaryOf> & { readonly action_id?: string | null; readonly attempt?: number | null };

/** Returns a dead letter for the table, which has two columns more for deliveries than for events. */
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

/** Returns the names and ids of a dead letter, with the size of its body in UTF-8. */
function summaryOf(queue: Queue, { message_id, sent_at, body }: DeadLetter) {
  return { message_id, sent_at, bytes: Buffer.byteLength(body), ...SUMMARIES[queue].parse(parseJson(body)) };
}

/** How many empty answers in a row mean an empty queue. One is not enough, because SQS may not have asked all its servers. */
const EMPTY_RECEIVES = 2;

/** Receives the messages of a dead-letter queue, page by page, until it is empty. */
async function* pagesOf(deadLetters: DeadLetterQueue): AsyncGenerator<readonly DeadLetter[]> {
  for (let empty = 0; empty < EMPTY_RECEIVES; ) {
    const page = await deadLetters.receive();
    empty = page.length === 0 ? empty + 1 : 0;
    yield page;
  }
}

/**
 * Lists the messages of a dead-letter queue and moves none (the dry run). Receiving hides a message, so the end makes them visible again.
 * @param limit how many messages to list; the returned count is that of the whole queue, which SQS only estimates
 */
async function inspect(queue: Queue, limit: number, deadLetters: DeadLetterQueue) {
  const count = await deadLetters.count();
  const seen: DeadLetter[] = [];
  try {
    for await (const page of pagesOf(deadLetters)) {
      seen.push(...page);
      if (seen.length >= limit) break;
    }
  } finally {
    await deadLetters.release(seen);
  }
  const shown = seen.slice(0, limit).map((deadLetter) => summaryOf(queue, deadLetter));
  return { count: Math.max(count, seen.length), shown };
}

/**
 * Moves every dead letter back to its queue once. A message that becomes a dead letter again during this run stays in the dead-letter
 * queue. An interrupted run can be repeated. An attempt that was already made is not repeated, because the claims in the delivery
 * log contain the message ids.
 * @param moved called with the number of messages moved so far
 * @returns how many messages were moved, and how many of them became dead letters again during the run
 */
async function redrive(deadLetters: DeadLetterQueue, moved: (count: number) => void) {
  const done = new Set<string>();
  const again: DeadLetter[] = [];
  const moveBack = async (deadLetter: DeadLetter) => {
    await deadLetters.moveBack(deadLetter);
    done.add(deadLetter.message_id);
    moved(done.size);
  };
  try {
    for await (const page of pagesOf(deadLetters)) {
      const isDone = ({ message_id }: DeadLetter) => done.has(message_id);
      again.push(...page.filter(isDone));
      await Promise.all(page.filter((deadLetter) => !isDone(deadLetter)).map(moveBack));
    }
  } finally {
    await deadLetters.release(again);
  }
  return { moved: done.size, again: new Set(again.map(({ message_id }) => message_id)).size };
}
