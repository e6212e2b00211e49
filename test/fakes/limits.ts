import type { LimitDecision } from '../../src/domain/rate-limits/rate-limits.ts';

export type LimitCall = { readonly key: string; readonly limit: number; readonly now: Date };

/** A limit that says yes until told otherwise, and remembers what it was asked. */
export class FakeLimit {
  readonly calls: LimitCall[] = [];
  decision: LimitDecision = { allowed: true };

  readonly hit = async (key: string, limit: number, now: Date): Promise<LimitDecision> => {
    this.calls.push({ key, limit, now });
    return this.decision;
  };
}
