import { readDocument } from './documents.ts';

/** A command that a document states, as the text that an operator enters into a shell. */
export type DocumentedCommand = { readonly path: string; readonly heading: string; readonly text: string };

const SHELL_BLOCK_OR_CODE = /^ *```sh\n([\s\S]*?)^ *```$|```[\s\S]*?```|`([^`]+)`/gm;
const COMMAND = /^(?:[A-Z_]+=\S+ )*(?:npx|aws|rm|export) /;

/** Lists the commands of a document, in its order. Lines that end with a pipe or a backslash continue. */
export function documentedCommands(path: string): readonly DocumentedCommand[] {
  return readDocument(path)
    .text.split(/^## /m)
    .flatMap((section) => {
      const [first = ''] = section.split('\n');
      const heading = first.replace(/^# /, '');
      return [...section.matchAll(SHELL_BLOCK_OR_CODE)]
        .flatMap(([, block, code = '']) => (block === undefined ? [code.replace(/\s+/g, ' ')] : linesOf(block)))
        .filter((text) => COMMAND.test(text))
        .map((text) => ({ path, heading, text }));
    });
}

function linesOf(block: string): readonly string[] {
  const joined = block.replace(/\\\n\s*/g, '').replace(/\|\n\s*/g, '| ');
  return joined.split('\n').map((line) => line.trim());
}
