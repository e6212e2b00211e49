/**
 * The maximum size of each function's bundle in bytes: its current size and three percent for a patch of a dependency. A cold start
 * reads and compiles every byte. A commit that raises a figure gives the reason.
 */
export const BUDGETS: Readonly<Record<string, number>> = {
  'action-test': 915_000,
  'ai-action': 910_000,
  // undici is two thirds of it. Nobody waits for this function.
  canary: 1_567_000,
  'dashboard-api': 1_086_000,
  dispatcher: 793_000,
  'event-router': 663_000,
  'form-submit': 821_000,
  'key-rotation': 498_000,
  'not-found': 223_000,
  preflight: 643_000,
  'session-create': 699_000,
  'usage-report': 736_000,
  'widget-init': 744_000,
};
