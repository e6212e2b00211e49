import { describeHostileDashboard } from './hostile-dashboard.ts';

/** The short form. `npm run test:chaos` sends ten thousand requests to each route. */
describeHostileDashboard(60, 20_000);
