/** Declared by those who limit; kept exact under concurrency by adapters/dynamodb/rate-limits.ts. */

export type LimitDecision =
  | { readonly allowed: true }
  | { readonly allowed: false /** Whole seconds. */; readonly retryAfterSeconds: number };

/** An exact sliding log: at most `limit` hits in any 60 seconds. A refused hit does not count. */
export type HitPerMinute = (key: string, limit: number, now: Date) => Promise<LimitDecision>;

/** At most `limit` hits per clock hour and site (spec "Rate Limit"). A refused hit does not count. */
export type HitPerHour = (siteId: string, limit: number, now: Date) => Promise<LimitDecision>;

/** At most `limit` outbound requests per UTC day and organization. A refused hit does not count. */
export type HitPerDay = (orgId: string, limit: number, now: Date) => Promise<LimitDecision>;
