/** Rate limits. The implementation in adapters/dynamodb/counters-table.ts is exact for concurrent requests. */
export type Counters = { readonly hitPerMinute: HitPerMinute; readonly hitPerHour: HitPerHour };

export type LimitDecision =
  | { readonly allowed: true }
  | { readonly allowed: false /** Whole seconds. */; readonly retryAfterSeconds: number };

/** Allows at most `limit` hits in any 60 seconds (an exact sliding log). A refused hit does not count. */
export type HitPerMinute = (key: string, limit: number, now: Date) => Promise<LimitDecision>;

/** Allows at most `limit` hits per clock hour and key, such as a site id (spec "Rate Limit"). A refused hit does not count. */
export type HitPerHour = (key: string, limit: number, now: Date) => Promise<LimitDecision>;

/** Allows at most `limit` outbound requests per UTC day and organization. A refused hit does not count. */
export type HitPerDay = (orgId: string, limit: number, now: Date) => Promise<LimitDecision>;
