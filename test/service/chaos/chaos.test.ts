import { describeHostileDashboard } from './hostile-dashboard.ts';
import { describeHostileInputs } from './hostile-inputs.ts';

/** The short forms. `npm run test:chaos` sends ten thousand requests to each route; this one takes no time. */
describe('hostile requests to the dashboard', () => describeHostileDashboard(25, 120_000));
describe('hostile requests to the public routes', () => describeHostileInputs(80, 120_000));
