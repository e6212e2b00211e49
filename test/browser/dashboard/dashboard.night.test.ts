import './dashboard.test.ts';
