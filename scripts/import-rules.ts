import { readFileSync, writeFileSync } from 'node:fs';
import { brokenRules } from './import-rules/broken-rules.ts';
import { withPictures } from './import-rules/documents.ts';
import { readRepository } from './import-rules/repository.ts';

// Checks the imports of the repository in the current folder. With --write, updates the pictures of docs/architecture.md.
const sources = readRepository('.');
if (process.argv.includes('--write')) {
  writeFileSync('docs/architecture.md', withPictures(readFileSync('docs/architecture.md', 'utf8'), sources));
} else {
  const broken = brokenRules(sources);
  if (broken.length > 0) {
    console.error(`${broken.join('\n')}\nscripts/import-rules/rules.ts lists what each folder may import.`);
    process.exitCode = 1;
  }
}
