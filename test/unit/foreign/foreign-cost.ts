import type { ForeignInput } from './foreign-inputs.ts';

const ROUNDS = 5;
/** Time in milliseconds that a measurement takes at least, so that the clock does not decide. */
const LEAST_MS = 1;

/** Returns the milliseconds that reading an input takes at each of these lengths: the fastest of some rounds, in turns. */
export function costsAt({ reader }: ForeignInput, lengths: readonly number[]): readonly number[] {
  const readings = lengths.map((length) => ({ read: reader(length), ms: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const reading of readings) reading.ms = Math.min(reading.ms, millisecondsOf(reading.read));
  }
  return readings.map(({ ms }) => ms);
}

function millisecondsOf(read: () => unknown): number {
  // Of this thread alone: what else runs on the machine does not count.
  const before = process.threadCpuUsage();
  for (let times = 1; ; times++) {
    read();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms >= LEAST_MS) return ms / times;
  }
}

/** Returns by how much the cost grows for each doubling of the length, on average of the last six doublings up to `longest`. */
export function growthOf(input: ForeignInput, longest: number): number {
  const [short = Number.NaN, long = Number.NaN] = costsAt(input, [longest / 64, longest]);
  return (long / short) ** (1 / 6);
}
