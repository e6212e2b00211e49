import { readFileSync } from 'node:fs';
import { cliReference } from '../../scripts/cli-reference.ts';

test('docs/cli.md equals the help texts (node scripts/cli-reference.ts)', () => {
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(cliReference());
});
