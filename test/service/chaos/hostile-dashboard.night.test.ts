import { describeHostileDashboard } from './hostile-dashboard.ts';

describeHostileDashboard(10_000, 600_000);
