import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandLine } from '../cli/program.ts';

const REFERENCE = new URL('../docs/cli.md', import.meta.url);
const COLUMNS = 100;

/** Returns the text of docs/cli.md: the help text of every command, as the command line prints it. */
export function cliReference(): string {
  const program = commandLine(async () => {});
  const sections = commands(program).map(({ path, command }) => {
    const heading = command === program ? '# The command line' : `## ${path}`;
    const introduction = command === program ? `\n${INTRODUCTION}\n` : '';
    return `${heading}\n${introduction}\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`;
  });
  return sections.join('\n');
}

const INTRODUCTION = `<!-- \`node scripts/cli-reference.ts\` generates this page. A test checks that it agrees with the help texts. -->

This page is for **operators**. After reading it you can run every command of \`npx va-wave\` with its options.

The command line needs Node 22.19 or newer. The options of the first section are allowed before and after every command.`;

/** Lists the program, then every command that has no subcommands. */
function commands(command: Command, path = command.name()): { readonly path: string; readonly command: Command }[] {
  const children = command.commands.flatMap((child) => commands(child, `${path} ${child.name()}`));
  return command.parent === null || children.length === 0 ? [{ path, command }, ...children] : children;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
  command.configureOutput({
    writeOut: (chunk) => {
      text += chunk;
    },
    getOutHelpWidth: () => COLUMNS,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim();
}

if (import.meta.main) writeFileSync(REFERENCE, cliReference());
