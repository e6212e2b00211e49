/**
 * Limits how many tasks run at the same time; the others wait. The next task is one of the owner with the fewest running tasks, so that
 * an owner with hundreds of tasks does not delay the others.
 */
export function fairTurns<Owner>(atOnce: number) {
  type Waiting = { readonly owner: Owner; readonly start: () => void };
  const running = new Map<Owner, number>();
  let total = 0;
  let waiting: readonly Waiting[] = [];
  const change = (owner: Owner, by: number) => {
    total += by;
    const count = (running.get(owner) ?? 0) + by;
    if (count === 0) running.delete(owner);
    else running.set(owner, count);
  };
  const runningOf = ({ owner }: Waiting) => running.get(owner) ?? 0;

  return async <T>(owner: Owner, work: () => Promise<T>): Promise<T> => {
    if (total < atOnce) change(owner, 1);
    else {
      await new Promise<void>((start) => {
        waiting = [...waiting, { owner, start }];
      });
    }
    try {
      return await work();
    } finally {
      change(owner, -1);
      const [first, ...others] = waiting;
      if (first !== undefined) {
        const next = others.reduce((best, one) => (runningOf(one) < runningOf(best) ? one : best), first);
        waiting = waiting.filter((one) => one !== next);
        change(next.owner, 1);
        next.start();
      }
    }
  };
}
