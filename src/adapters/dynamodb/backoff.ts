/** Waits before a call is repeated: a random part of 20 ms after the first attempt, doubled with each, up to 2.5 s. Not before the first. */
export async function backOff(attempt: number): Promise<void> {
  if (attempt === 0) return;
  await new Promise((resolve) => setTimeout(resolve, 2 ** Math.min(attempt, 8) * 10 * Math.random()));
}
