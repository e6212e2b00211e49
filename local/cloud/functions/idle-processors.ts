import { cpus } from 'node:os';

/** The kernel counts in steps of ten milliseconds, so a shorter time says little. */
const WINDOW_MS = 250;
const BETWEEN_SAMPLES_MS = 50;

/** The share of the processors' time that is idle, 0 to 1. */
export type IdleProcessors = {
  /** In about the last quarter of a second. */
  readonly recently: number;
  /** In about the last twentieth of a second. */
  readonly now: number;
};

type Sample = { readonly at: number; readonly idle: number; readonly all: number };

/** Returns a function that measures the processors. */
export function idleProcessors(): () => IdleProcessors {
  const samples: Sample[] = [sample()];
  return () => {
    const last = samples.at(-1);
    if (last === undefined || performance.now() - last.at >= BETWEEN_SAMPLES_MS) samples.push(sample());
    const now = samples.at(-1);
    while (samples.length > 2 && (now?.at ?? 0) - (samples[1]?.at ?? 0) >= WINDOW_MS) samples.shift();
    return { recently: share(samples[0], now), now: share(samples.at(-2), now) };
  };
}

function share(before: Sample | undefined, now: Sample | undefined): number {
  if (now === undefined || before === undefined || now.all === before.all) return 0;
  return (now.idle - before.idle) / (now.all - before.all);
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
