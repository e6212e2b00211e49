/** The paths on which a function's log lines reach the reporter. */
export const LOG_PATHS = [
  'a handler that a test calls',
  'a handler whose log the test does not read',
  'a function of a local cloud',
] as const;
