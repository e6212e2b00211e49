import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The words that can follow a command: its subcommands, its options, and the choices of its arguments. */
type Place = { readonly path: string; readonly children: readonly string[]; readonly words: readonly string[] };

/**
 * Returns a script that completes the command line in a shell. The script contains all words, so that the Tab key starts no process.
 * Names of commands and options consist of letters, digits and hyphens and need no quotes.
 */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '', program.options);
  return { bash, zsh, fish }[shell](places);
}

function placesOf(command: Command, path: string, global: Command['options']): Place[] {
  const children = command.commands.map((child) => child.name());
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const options = new Set([...command.options, ...global].map(({ long }) => long ?? ''));
  const words = [...children, ...choices, ...options, '--help'].filter((word) => word !== '');
  const below = command.commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`, global));
  return [{ path, children, words }, ...below];
}

/** Returns the patterns of `<path> <word>` in which the word is a command. All other words are ignored. */
const steps = (places: readonly Place[]) =>
  places.flatMap(({ path, children }) => children.map((child) => `"${path} ${child}"`)).join('|');

const branches = (places: readonly Place[], line: (words: string) => string) =>
  places.map(({ path, words }) => `    "${path}") ${line(words.join(' '))} ;;`).join('\n');

const bash = (places: readonly Place[]) => `_va_wave() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${branches(places, (words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _va_wave va-wave
`;

const zsh = (places: readonly Place[]) => `#compdef va-wave
_va_wave() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${steps(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${branches(places, (words) => `compadd -- ${words}`)}
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _va_wave va-wave
`;

const fish = (places: readonly Place[]) => `function __va_wave_at
  set -l at ""
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${steps(places).replaceAll('|', ' ')}
        set at "$at $word"
    end
  end
  echo "$at"
end
complete -c va-wave -e
complete -c va-wave -f
${places.map(({ path, words }) => `complete -c va-wave -n 'test (__va_wave_at) = "${path}"' -a '${words.join(' ')}'`).join('\n')}
`;
