import { describeLimiterFaults } from './limiter-faults.ts';

/** The short form, with the fault that takes no time. `npm run test:chaos` has all faults. */
describeLimiterFaults(['refusing'], 20_000);
