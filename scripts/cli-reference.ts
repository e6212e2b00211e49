import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandLine } from '../cli/program.ts';

const REFERENCE = new URL('../docs/cli.md', import.meta.url);
const COLUMNS = 100;

/** docs/cli.md: the help of every command, as it is printed. */
export function cliReference(): string {
  const program = commandLine(async () => {});
  const sections = commands(program).map(({ path, command }) => {
    const heading = command === program ? '# The command line' : `## ${path}`;
    const introduction = command === program ? `\n${INTRODUCTION}\n` : '';
    return `${heading}\n${introduction}\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`;
  });
  return sections.join('\n');
}

const INTRODUCTION = `<!-- Written by \`node scripts/cli-reference.ts\`; a test holds it to the help texts. -->

\`npx va-wave\` runs on any Node from 22.19 on. Options of the whole work before and after the command, and are shown here once.`;

/** The program, then every command that does something. */
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
