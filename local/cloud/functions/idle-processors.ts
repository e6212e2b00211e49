import { cpus } from 'node:os';

/** Tells, each time it is asked, for which share of the time since then this machine's processors had nothing to do, 0 to 1. */
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
