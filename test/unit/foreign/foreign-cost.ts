import type { ForeignInput } from './foreign-inputs.ts';

const ROUNDS_MAX = 5;
const ROUNDS_MIN = 2;
/** Time in milliseconds that a measurement takes at least, so that the clock does not decide. */
const LEAST_MS = 1;

/** Yields, after each round, the milliseconds that reading an input takes at each of these lengths: the fastest of all rounds until then. */
function* costRounds({ reader }: ForeignInput, lengths: readonly number[]) {
  const readings = lengths.map((length) => ({ read: reader(length), ms: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    // The longest first: V8 has compiled what the shorter ones run, which would hide a growth.
    for (const reading of readings.toReversed()) reading.ms = Math.min(reading.ms, millisecondsOf(reading.read));
    if (round + 1 >= ROUNDS_MIN) yield readings.map(({ ms }) => ms);
  }
}

/** Returns the milliseconds that reading an input takes at each of these lengths: the fastest of some rounds, in turns. */
export function costsAt(input: ForeignInput, lengths: readonly number[]): readonly number[] {
  return [...costRounds(input, lengths)].at(-1) ?? [];
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

/**
 * Returns by how much the cost grows for each doubling of the length, on average of the last six doublings up to `longest`. Measures no
 * longer when that is less than `enough`.
 */
export function growthOf(input: ForeignInput, longest: number, enough: number): number {
  let growth = Number.NaN;
  for (const [short = Number.NaN, long = Number.NaN] of costRounds(input, [longest / 64, longest])) {
    growth = (long / short) ** (1 / 6);
    if (growth < enough) break;
  }
  return growth;
}
