import { describeServiceFaults } from './service-faults.ts';

describeServiceFaults(['throttling', 'failing', 'refusing', 'slow']);
