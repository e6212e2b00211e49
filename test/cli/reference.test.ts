import { readFileSync } from 'node:fs';
import { cliReference } from '../../scripts/cli-reference.ts';

test('docs/cli.md is what the help says (node scripts/cli-reference.ts)', () => {
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(cliReference());
});
