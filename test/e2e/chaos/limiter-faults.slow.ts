import { describeLimiterFaults } from './limiter-faults.ts';

describeLimiterFaults(['throttling', 'failing', 'refusing', 'slow']);
