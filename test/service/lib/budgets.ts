/**
 * The maximum size of each function's bundle in bytes: its current size and three percent for a patch of a dependency. A cold start
 * reads and compiles every byte. A commit that raises a figure gives the reason.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 944_000,
  'ai-action': 945_000,
  // undici is two thirds of it. Nobody waits for this function.
  canary: 1_569_000,
  'dashboard-api': 1_091_000,
  dispatcher: 820_000,
  'event-router': 684_000,
  'form-submit': 851_000,
  'key-rotation': 515_000,
  'not-found': 227_000,
  preflight: 664_000,
  'session-create': 722_000,
  'usage-report': 762_000,
  'widget-init': 767_000,
};
