import { describeHostileDashboard } from './hostile-dashboard.ts';

/** The short form. `npm run test:chaos` sends ten thousand requests to each route. */
describeHostileDashboard(25, 120_000);
