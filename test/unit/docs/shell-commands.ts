/** Splits a shell command that begins at `start` into words, as a shell does. Placeholders such as <org_id> stay. */
export function wordsFrom(text: string, start: number): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = start;
  while (at < text.length) {
    const rest = text.slice(at);
    const [token = ''] =
      /^(?:\\\n|\s*#[^\n]*|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|<[\w-]+(?: [\w-]+)*>|\\.|[\s\S])/.exec(rest) ?? [];
    at += token.length;
    if (token === '\\\n' || token === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/^\s*#/.test(token) && word === undefined) {
      break;
    } else if (/^[\n|<>;&)]$/.test(token)) {
      break;
    } else if (/^['"]/.test(token) && token.length > 1) {
      word = (word ?? '') + token.slice(1, -1);
    } else {
      word = (word ?? '') + token;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

export function commandsIn(text: string, pattern: RegExp): readonly (readonly string[])[] {
  return [...text.matchAll(pattern)].map((match) => wordsFrom(text, match.index + match[0].length));
}
