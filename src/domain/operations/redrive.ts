import {
  type DeadLetter,
  type DeadLetterQueue,
  type DeadLetterSummary,
  deadLetterSummary,
  type RedrivenQueue,
} from './dead-letters.ts';

/** A queue that looks empty once may only have been asked at the wrong server (SQS, short polling). */
const EMPTY_LOOKS = 2;

/**
 * What is in a dead-letter queue, and nothing moved: the dry run.
 * @param limit how many to look at; the count is that of the whole queue
 */
export async function inspectDeadLetters(
  queue: RedrivenQueue,
  limit: number,
  deadLetters: DeadLetterQueue,
): Promise<{ readonly count: number; readonly shown: readonly DeadLetterSummary[] }> {
  const count = await deadLetters.count();
  const seen: DeadLetter[] = [];
  try {
    for (let empty = 0; empty < EMPTY_LOOKS && seen.length < limit; ) {
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
 * Moves every dead letter back to its queue, once: one that dies again during this run stays where it is. Interrupted, it can be
 * run again. What was delivered already is not delivered again, because the claims in the delivery log know the message ids.
 * @param moved called with the count so far
 * @returns how many were moved, and how many died again meanwhile
 */
export async function redrive(
  deadLetters: DeadLetterQueue,
  moved: (count: number) => void,
): Promise<{ readonly moved: number; readonly again: number }> {
  const done = new Set<string>();
  const again: DeadLetter[] = [];
  try {
    for (let empty = 0; empty < EMPTY_LOOKS; ) {
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
