/**
 * Bytes that a function's bundle may have: what it has, and three percent for a patch of a dependency. A cold start reads and
 * compiles every one of them; who needs more says why in the commit that raises a figure.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 497_000,
  'ai-action': 499_000,
  'dashboard-api': 1226_000,
  dispatcher: 320_000,
  'event-router': 247_000,
  'form-submit': 911_000,
  'key-rotation': 197_000,
  'not-found': 184_000,
  preflight: 223_000,
  'session-create': 276_000,
  'usage-report': 322_000,
  'widget-init': 297_000,
};
