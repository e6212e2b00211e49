import './grants.test.ts';
