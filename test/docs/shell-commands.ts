import { codeBlocks, type Document, inlineCode } from './documents.ts';

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

/** A command of AWS's own command line, as a document states it. */
export type AwsCommand = {
  readonly words: readonly string[];
  /** In a sentence, a command may be named without its arguments. */
  readonly whole: boolean;
};

/** Every command of `aws` that a document states. */
export function awsCommands(document: Document): readonly AwsCommand[] {
  const blocks = codeBlocks(document).flatMap(({ code }) => commandsIn(code, /^ *aws(?= )/gm));
  const sentences = inlineCode(document).flatMap((code) => commandsIn(code.replace(/\n */g, ' '), /^aws(?= )/g));
  return [...blocks.map((words) => ({ words, whole: true })), ...sentences.map((words) => ({ words, whole: false }))];
}
