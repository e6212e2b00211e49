import { describeNeighbours } from './neighbours.ts';

/** The short form. `npm run test:chaos` has a busy machine. */
describeNeighbours('quiet');
