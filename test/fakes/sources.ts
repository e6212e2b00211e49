import { createHash } from 'node:crypto';
import type { Clock, NewId, RandomBytes } from '../../src/domain/sources.ts';

/** A clock that changes only when a test moves it. */
export class FrozenClock {
  #time: number;

  constructor(at = '2026-03-04T05:06:07.250Z') {
    this.#time = Date.parse(at);
  }

  readonly now: Clock = () => new Date(this.#time);

  advance(milliseconds: number): void {
    this.#time += milliseconds;
  }
}

/** Creates ids `id-1`, `id-2`, … */
export function countingIds(): NewId {
  let count = 0;
  return () => `id-${++count}`;
}

/** Creates bytes that differ from call to call and are the same in every run. */
export function countingBytes(): RandomBytes {
  let count = 0;
  return (size) => {
    count += 1;
    return createHash('shake256', { outputLength: size }).update(String(count)).digest();
  };
}
