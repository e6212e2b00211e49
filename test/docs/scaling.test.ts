import { readFileSync } from 'node:fs';
import { tableMarkdown } from '../../bench/report.ts';
import { WHAT_BREAKS_FIRST } from '../../bench/simulation/limits.ts';

test.each(WHAT_BREAKS_FIRST)(
  'docs/scaling.md has the current counts and limits of $columns.0 (npm run simulate)',
  (table) => {
    expect(readFileSync('docs/scaling.md', 'utf8')).toContain(tableMarkdown(table));
  },
);
