/** How what a function logs comes to the reporter. */
export const WAYS = [
  'a handler that a test calls',
  'a handler that nobody listens to',
  'a function of a local cloud',
] as const;
