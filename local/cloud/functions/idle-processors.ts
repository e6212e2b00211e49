import { cpus } from 'node:os';

/** Returns a function that returns the idle share of the processors since its last call, 0 to 1. */
export function idleProcessors(): () => number {
  let before = times();
  return () => {
    const now = times();
    const all = now.all - before.all;
    const share = all === 0 ? 0 : (now.idle - before.idle) / all;
    before = now;
    return share;
  };
}

function times(): { readonly idle: number; readonly all: number } {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}
