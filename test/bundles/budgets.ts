/**
 * Bytes that a function's bundle may have: what it has, and three percent for a patch of a dependency. A cold start reads and
 * compiles every one of them; who needs more says why in the commit that raises a figure.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 1106_000,
  'ai-action': 1107_000,
  'dashboard-api': 1226_000,
  dispatcher: 985_000,
  'event-router': 874_000,
  'form-submit': 991_000,
  'key-rotation': 731_000,
  'not-found': 184_000,
  preflight: 804_000,
  'session-create': 881_000,
  'usage-report': 928_000,
  'widget-init': 929_000,
};
