import './customer-backend.test.ts';
