import {
  type DeadLetter,
  type DeadLetterQueue,
  type DeadLetterSummary,
  deadLetterSummary,
  type RedrivenQueue,
} from './dead-letters.ts';

/** How many empty answers in a row mean an empty queue. One is not enough, because SQS may not have asked all its servers. */
const EMPTY_RECEIVES = 2;

/**
 * Lists the messages of a dead-letter queue and moves none (the dry run).
 * @param limit how many messages to list; the returned count is that of the whole queue
 */
export async function inspectDeadLetters(
  queue: RedrivenQueue,
  limit: number,
  deadLetters: DeadLetterQueue,
): Promise<{ readonly count: number; readonly shown: readonly DeadLetterSummary[] }> {
  const count = await deadLetters.count();
  const seen: DeadLetter[] = [];
  try {
    for (let empty = 0; empty < EMPTY_RECEIVES && seen.length < limit; ) {
      const page = await deadLetters.receive();
      empty = page.length === 0 ? empty + 1 : 0;
      seen.push(...page);
    }
  } finally {
    await deadLetters.release(seen);
  }
  const shown = seen.slice(0, limit).map((deadLetter) => deadLetterSummary(queue, deadLetter));
  return { count: Math.max(count, seen.length), shown };
}

/**
 * Moves every dead letter back to its queue once. A message that becomes a dead letter again during this run stays in the dead-letter
 * queue. An interrupted run can be repeated. An attempt that was already made is not repeated, because the claims in the delivery
 * log contain the message ids.
 * @param moved called with the number of messages moved so far
 * @returns how many messages were moved, and how many of them became dead letters again during the run
 */
export async function redrive(
  deadLetters: DeadLetterQueue,
  moved: (count: number) => void,
): Promise<{ readonly moved: number; readonly again: number }> {
  const done = new Set<string>();
  const again: DeadLetter[] = [];
  try {
    for (let empty = 0; empty < EMPTY_RECEIVES; ) {
      const page = await deadLetters.receive();
      empty = page.length === 0 ? empty + 1 : 0;
      again.push(...page.filter(({ message_id }) => done.has(message_id)));
      await Promise.all(
        page
          .filter(({ message_id }) => !done.has(message_id))
          .map(async (deadLetter) => {
            await deadLetters.moveBack(deadLetter);
            done.add(deadLetter.message_id);
            moved(done.size);
          }),
      );
    }
  } finally {
    await deadLetters.release(again);
  }
  return { moved: done.size, again: new Set(again.map(({ message_id }) => message_id)).size };
}
