/** The documents of `docs/` that the dashboard serves below `help/`, so that they fit the deployed version. */
export const HELP_PAGES = ['actions', 'authentication', 'events', 'receiving', 'widget'] as const;
