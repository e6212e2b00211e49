import { describeServiceFaults } from './service-faults.ts';

/** The short form, with the fault that takes no time. `npm run test:chaos` has all faults. */
describeServiceFaults(['refusing']);
