import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until the condition is true.
 * @param everyMs between two checks; longer where a check is expensive, as for a delivery log
 * @throws after `patienceMs`
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = 100_000,
  everyMs = 50,
): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not within ${patienceMs} ms: ${condition}`);
    await pause(everyMs);
  }
}
