import { describeHostileInputs } from './hostile-inputs.ts';

/** The short form. `npm run test:chaos` sends ten thousand requests to each route. */
describeHostileInputs(80, 120_000);
