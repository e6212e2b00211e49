/** Between a deadline and a complaint that it was missed. */
const GRACE_MS = 100;

/**
 * What `work` comes to, if it does so within `ms` by a timer that is set now. A machine that is busy with other things delays both
 * alike, which a comparison of clocks would blame on `work`.
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
