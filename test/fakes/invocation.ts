import type { Fact, Invocation } from '../../src/domain/facts.ts';
import type { Clock } from '../../src/domain/sources.ts';
import { countingIds, FrozenClock } from './sources.ts';

/** An invocation that has not ended, and the facts that were reported in it. */
export type FakeInvocation = Invocation & {
  readonly facts: Fact[];
  /** Returns the reported facts of these kinds. */
  readonly of: (...kinds: readonly Fact['kind'][]) => readonly Fact[];
};

/** Creates an invocation with a frozen clock and the ids `id-1`, `id-2`, … */
export function fakeInvocation(changes: { readonly now?: Clock; readonly signal?: AbortSignal } = {}): FakeInvocation {
  const facts: Fact[] = [];
  return {
    signal: new AbortController().signal,
    now: new FrozenClock().now,
    newId: countingIds(),
    ...changes,
    facts,
    reportFact: (fact) => void facts.push(fact),
    of: (...kinds) => facts.filter(({ kind }) => kinds.includes(kind)),
  };
}
