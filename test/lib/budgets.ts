/**
 * Bytes that a function's bundle may have: what it has, and three percent for a patch of a dependency. A cold start reads and
 * compiles every one of them; who needs more says why in the commit that raises a figure.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 859_000,
  'ai-action': 863_000,
  canary: 500_000,
  'dashboard-api': 1023_000,
  dispatcher: 750_000,
  'event-router': 640_000,
  'form-submit': 771_000,
  'key-rotation': 490_000,
  'not-found': 205_000,
  preflight: 615_000,
  'session-create': 654_000,
  'usage-report': 675_000,
  'widget-init': 710_000,
};
