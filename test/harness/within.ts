/** Milliseconds between a deadline and the error that reports that it was missed. */
const GRACE_MS = 100;

/**
 * Returns the result of `work`. A timer that starts now limits it to `ms` milliseconds. On a busy machine the timer and `work` are late
 * together; a comparison of clocks would count that delay as a failure of `work`.
 * @throws when `work` takes longer
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overtaken = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not over after ${ms} ms`)), ms + GRACE_MS);
  });
  try {
    return await Promise.race([work, overtaken]);
  } finally {
    clearTimeout(timer);
  }
}
