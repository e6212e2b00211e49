import { readFileSync } from 'node:fs';
import { sectionMarkdown } from '../../bench/report.ts';
import { WHAT_BREAKS_FIRST } from '../../bench/simulation/limits.ts';

test('docs/scaling.md says what breaks first with the current counts and limits (npm run simulate)', () => {
  expect(readFileSync('docs/scaling.md', 'utf8')).toContain(sectionMarkdown(WHAT_BREAKS_FIRST));
});
