import { describeDashboard } from './dashboard.ts';

/** The short form. `npm run test:browser` has every width and color scheme. */
describeDashboard(false);
