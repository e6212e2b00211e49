import { createHash } from 'node:crypto';

/** Returns a number for a name, which another seed changes: the place of a test or a file in a run with `--randomize`. */
export const placeOf = (seed: unknown, name: string) =>
  createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE();
