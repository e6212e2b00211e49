/** The documents of `docs/` of which the build makes the pages of the help, `/dashboard/help/<name>.html`: help for exactly the deployed version. */
export const HELP_PAGES = ['actions', 'authentication', 'events', 'receiving', 'widget'] as const;
