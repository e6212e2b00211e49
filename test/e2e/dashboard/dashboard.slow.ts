import { describeDashboard } from './dashboard.ts';

describeDashboard(true);
