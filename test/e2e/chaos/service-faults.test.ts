import { describeServiceFaults } from './service-faults.ts';

/** The short form, with the faults that take no time. `npm run test:chaos` has all faults. */
describeServiceFaults(['throttling', 'refusing'], 20_000);
