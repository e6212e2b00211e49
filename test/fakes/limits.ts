import type { LimitDecision } from '../../src/domain/context.ts';

export type LimitCall = { readonly key: string; readonly limit: number; readonly now: Date };

/** A rate limit that allows every hit unless a test sets another decision. It records the hits. */
export class FakeLimit {
  readonly calls: LimitCall[] = [];
  decision: LimitDecision = { isAllowed: true };

  readonly hit = async (key: string, limit: number, now: Date): Promise<LimitDecision> => {
    this.calls.push({ key, limit, now });
    return this.decision;
  };
}
