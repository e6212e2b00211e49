/**
 * Bytes that a function's bundle may have: what it has, and three percent for a patch of a dependency. A cold start reads and
 * compiles every one of them; who needs more says why in the commit that raises a figure.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 846_000,
  'ai-action': 848_000,
  'dashboard-api': 1010_000,
  dispatcher: 739_000,
  'event-router': 611_000,
  'form-submit': 753_000,
  'key-rotation': 471_000,
  'not-found': 203_000,
  preflight: 564_000,
  'session-create': 639_000,
  'usage-report': 669_000,
  'widget-init': 692_000,
};
