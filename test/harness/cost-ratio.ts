/** Microseconds of CPU time that `work` takes. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Returns how many times as much CPU time one piece of work takes as another. They take turns, and the least of each counts: other programs of
 * the machine change neither.
 */
export function costRatio(work: () => unknown, comparedWith: () => unknown): number {
  let [least, leastOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < 5; turn += 1) {
    least = Math.min(least, costOf(work));
    leastOther = Math.min(leastOther, costOf(comparedWith));
  }
  return least / Math.max(leastOther, 1);
}
