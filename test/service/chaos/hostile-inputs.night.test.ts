import { describeHostileInputs } from './hostile-inputs.ts';

describeHostileInputs(10_000, 600_000);
