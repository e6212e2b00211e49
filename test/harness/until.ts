import { setTimeout as pause } from 'node:timers/promises';

/**
 * Repeats a question until it has an answer.
 * @param everyMs between two questions; after a longer wait a tenth of it, because a question can be expensive
 * @throws after `patienceMs`
 */
export async function eventually<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  patienceMs = 100_000,
  everyMs = 50,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waitedMs = Date.now() - start;
    if (waitedMs > patienceMs) throw new Error(`Not within ${patienceMs} ms: ${ask}`);
    await pause(Math.max(everyMs, waitedMs / 10));
  }
}

/** Waits until the condition is true. The other parameters are those of `eventually`. @throws after `patienceMs` */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs?: number,
  everyMs?: number,
): Promise<void> {
  await eventually(async () => (await condition()) || undefined, patienceMs, everyMs);
}
