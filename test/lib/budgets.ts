/**
 * Bytes that a function's bundle may have: what it has, and three percent for a patch of a dependency. A cold start reads and
 * compiles every one of them; who needs more says why in the commit that raises a figure.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 491_000,
  'ai-action': 493_000,
  'dashboard-api': 1155_000,
  dispatcher: 313_000,
  'event-router': 237_000,
  'form-submit': 904_000,
  'key-rotation': 186_000,
  'not-found': 203_000,
  preflight: 232_000,
  'session-create': 285_000,
  'usage-report': 316_000,
  'widget-init': 307_000,
};
