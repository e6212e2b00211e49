import { describePage } from './followed-page.ts';

describePage('docs/runbook.md', () => false, ['npx cdk bootstrap', 'npx cdk deploy']);
