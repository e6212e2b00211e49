import { describeServiceFaults } from './service-faults.ts';

/** The short form: the faults that need no waiting. `npm run test:chaos` has them all. */
describeServiceFaults(['throttling', 'refusing'], 20_000);
