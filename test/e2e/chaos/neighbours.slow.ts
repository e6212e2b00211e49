import { describeNeighbours } from '../events/neighbours.ts';

describeNeighbours('busy');
