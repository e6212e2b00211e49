import { setTimeout as pause } from 'node:timers/promises';

/**
 * Repeats a question until it has an answer.
 * @param everyMs between two questions; longer where one is expensive, as for a delivery log
 * @throws after `patienceMs`
 */
export async function eventually<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  patienceMs = 100_000,
  everyMs = 50,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`Not within ${patienceMs} ms: ${ask}`);
    await pause(everyMs);
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
