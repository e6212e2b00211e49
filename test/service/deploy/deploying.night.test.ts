import { describePage } from './followed-page.ts';

// The stack is deleted last, although the page says it earlier.
describePage('docs/deploying.md', (heading) => heading === 'New accounts' || heading === 'Deleting a stack');
