/**
 * The maximum size of each function's bundle in bytes: its current size and three percent for a patch of a dependency. A cold start
 * reads and compiles every byte. A commit that raises a figure gives the reason.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 886_000,
  'ai-action': 891_000,
  canary: 531_000,
  'dashboard-api': 1054_000,
  dispatcher: 780_000,
  'event-router': 655_000,
  'form-submit': 798_000,
  'key-rotation': 490_000,
  'not-found': 210_000,
  preflight: 635_000,
  'session-create': 684_000,
  'usage-report': 720_000,
  'widget-init': 731_000,
};
