import { Argument, type Command } from 'commander';
import type { Run } from '../command-run.ts';
import { completionScript, SHELLS, type Shell } from '../completion.ts';

export function addCompletionCommand(program: Command, run: Run): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('print a script that completes commands, options and values in a shell')
    .addHelpText(
      'after',
      `
It completes va-wave, but not npx va-wave. Create an alias with the path of the repository, which also starts three times as fast as npx:

  alias va-wave="$PWD/cli/va-wave.mjs"

Examples:
  va-wave completion bash > ~/.local/share/bash-completion/completions/va-wave
  va-wave completion zsh > ~/.va-wave.zsh && echo 'source ~/.va-wave.zsh' >> ~/.zshrc
  va-wave completion fish > ~/.config/fish/completions/va-wave.fish`,
    )
    .action((shell: Shell) => run(async ({ output }) => output.text(completionScript(program, shell))));
}
