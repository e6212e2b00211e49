import '../operations/operations.ts';
import './bus.ts';
import './interleaved.ts';
import { describeNeighbours } from './neighbours.ts';

/** The short form. `npm run test:chaos` has a busy machine. */
describeNeighbours('quiet');
