import './pages.test.ts';
