import { readFileSync } from 'node:fs';
import { passagesOf, textFiles } from './words/passages.ts';
import { unwantedWords } from './words/unwanted-words.ts';

// Checks the words of the files that are named, or of the whole repository in the current folder.
const chosen = process.argv.slice(2);
const files = textFiles('.').filter((path) => chosen.length === 0 || chosen.some((start) => path.startsWith(start)));
const found = files.flatMap((path) => unwantedWords(path, passagesOf(path, readFileSync(path, 'utf8'))));
if (found.length > 0) {
  console.error(`${found.join('\n')}\nscripts/words/word-list.ts lists these words, and the words to use instead.`);
  process.exitCode = 1;
}
