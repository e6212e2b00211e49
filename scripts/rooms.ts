import { readFileSync, writeFileSync } from 'node:fs';
import { brokenRules } from './rooms/broken-rules.ts';
import { withPictures, withTable } from './rooms/documents.ts';
import { readRepository } from './rooms/repository.ts';

// Checks the imports of the repository in the current folder; with --write, writes them into the documents.
const sources = readRepository('.');
if (process.argv.includes('--write')) {
  writeFileSync('CONTRIBUTING.md', withTable(readFileSync('CONTRIBUTING.md', 'utf8')));
  writeFileSync('docs/architecture.md', withPictures(readFileSync('docs/architecture.md', 'utf8'), sources));
} else {
  const broken = brokenRules(sources);
  if (broken.length > 0) {
    console.error(`${broken.join('\n')}\nWhat a room may import stands in scripts/rooms/rules.ts.`);
    process.exitCode = 1;
  }
}
