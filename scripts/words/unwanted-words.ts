import type { Passage } from './passages.ts';
import { UNWANTED } from './word-list.ts';

/** White space, with the asterisk that begins the next line of a block comment. */
const SPACE = '\\s+(?:\\*\\s+)?';

const PATTERNS = UNWANTED.map(({ words, use, kinds }) => ({
  pattern: new RegExp(`(?<![\\w/-])(?:${words.replaceAll(' ', SPACE)})(?![\\w-])`, 'gi'),
  use,
  kinds,
}));

/** The word list and its test contain unwanted words. The project did not write the licenses, and does not change released code. */
const NOT_CHECKED =
  /^(?:scripts\/words\/word-list\.ts|test\/scripts\/words\.test\.ts|THIRD-PARTY-NOTICES\.md|test\/fixtures\/released\/.*)$/;

/** The catalog of events quotes the contract. */
const QUOTED = /the bot sends a response/g;

/** Lists the unwanted words of a file, as `file:line message`. @param path from the root of the repository */
export function unwantedWords(path: string, passages: readonly Passage[]): readonly string[] {
  if (NOT_CHECKED.test(path)) return [];
  return passages.flatMap(({ kind, text, line }) =>
    PATTERNS.filter(({ kinds }) => kinds.includes(kind)).flatMap(({ pattern, use }) =>
      [...text.replace(QUOTED, (words) => ' '.repeat(words.length)).matchAll(pattern)].map(({ 0: word, index }) => {
        const at = line + text.slice(0, index).split('\n').length - 1;
        return `${path}:${at} "${word.replace(/\s+/g, ' ')}": ${use}`;
      }),
    ),
  );
}
