import { describeLimiterFaults } from './limiter-faults.ts';

/** The short form: the fault that needs no waiting. `npm run test:chaos` has them all. */
describeLimiterFaults(['refusing'], 20_000);
