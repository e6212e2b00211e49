import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** A piece of a file in which words are looked for. */
export type Passage = {
  /** `name`: an identifier. `comment`: a comment of code. `message`: a string of code. `document`: Markdown outside of code blocks. */
  readonly kind: 'name' | 'comment' | 'message' | 'document';
  readonly text: string;
  /** The line on which the passage begins. The first line is 1. */
  readonly line: number;
};

const CODE = /\.(ts|tsx|mts|js|mjs)$/;
const MARKDOWN = /\.md$/;

/** Lists the code and Markdown files of a git working copy. @param root path of the working copy */
export function textFiles(root: string): readonly string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  return files
    .split('\0')
    .filter((path) => (CODE.test(path) || MARKDOWN.test(path)) && existsSync(join(root, path)))
    .sort();
}

/**
 * Splits a file into its passages.
 * @param path decides by its extension whether the text is code or Markdown
 * @throws Error when code cannot be parsed
 */
export function passagesOf(path: string, text: string): readonly Passage[] {
  return CODE.test(path) ? passagesOfCode(path, text) : [{ kind: 'document', text: withoutCode(text), line: 1 }];
}

/** Blanks code blocks, code spans and the targets of links, and keeps the line breaks. */
function withoutCode(markdown: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ');
  return markdown
    .replace(/^```.*?^```$/gms, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

function passagesOfCode(path: string, text: string): readonly Passage[] {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  const passages: Passage[] = [];
  const add = (kind: Passage['kind'], content: string, at: number) => {
    passages.push({ kind, text: content, line: lineStarts.findLastIndex((start) => start <= at) + 1 });
  };
  for (const { value, start } of comments) add('comment', value.replace(/`[^`\n]*`/g, ' '), start);
  new Visitor({
    Identifier: ({ name, start }) => add('name', name, start),
    PrivateIdentifier: ({ name, start }) => add('name', name, start),
    Literal: ({ value, start }) => {
      if (typeof value === 'string') add('message', value, start);
    },
    TemplateElement: ({ value, start }) => add('message', value.raw, start),
    JSXText: ({ value, start }) => add('message', value, start),
  }).visit(program);
  return passages;
}
