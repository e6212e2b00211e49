import { cpus } from 'node:os';

/** The kernel counts in steps of ten milliseconds, so a shorter time says little. */
const WINDOW_MS = 250;
const BETWEEN_SAMPLES_MS = 50;

type Sample = { readonly at: number; readonly idle: number; readonly all: number };

/** Returns a function that returns the idle share of the processors in about the last quarter of a second, 0 to 1. */
export function idleProcessors(): () => number {
  const samples: Sample[] = [sample()];
  return () => {
    const last = samples.at(-1);
    if (last === undefined || performance.now() - last.at >= BETWEEN_SAMPLES_MS) samples.push(sample());
    const now = samples.at(-1);
    while (samples.length > 2 && (now?.at ?? 0) - (samples[1]?.at ?? 0) >= WINDOW_MS) samples.shift();
    const [before] = samples;
    if (now === undefined || before === undefined || now.all === before.all) return 0;
    return (now.idle - before.idle) / (now.all - before.all);
  };
}

function sample(): Sample {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { at: performance.now(), idle, all };
}
