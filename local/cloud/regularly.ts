import { setInterval } from 'node:timers/promises';

/**
 * Does a work again and again: after each interval, and never while the last time goes on.
 * @param onFault called with what the work throws; it goes on then
 * @returns a function that ends it, and resolves when nothing of it runs any more
 */
export function regularly(
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const repeat = async () => {
    for await (const _ of setInterval(everyMs, undefined, { signal })) await work().catch(onFault);
  };
  const ended = repeat().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => {
    abort.abort();
    return ended;
  };
}
