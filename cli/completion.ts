import type { Command } from 'commander';
import { METHODS, TRIGGERS } from '../src/contract/action-kinds.ts';
import { AUTHENTICATION_MODES } from '../src/contract/assistants.ts';
import { EVENT_NAMES } from '../src/contract/events.ts';
import { ROLES } from '../src/contract/members.ts';
import { PLANS } from '../src/contract/organizations.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Values by the name of an option or argument, as they are typed. Options with declared choices have those. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  event: EVENT_NAMES,
  trigger: TRIGGERS,
  mode: AUTHENTICATION_MODES,
  method: METHODS,
  plan: PLANS,
  role: ROLES,
};
const valuesOf = (name: string, choices: readonly string[] | undefined) =>
  (choices ?? (Object.hasOwn(VALUES, name) ? VALUES[name] : undefined) ?? []).map((value) =>
    value.toLowerCase().replaceAll(' ', '-'),
  );

/**
 * The words that can follow a command: its subcommands, its options, and the values of its arguments. The path of an option with values is
 * its name, and its words are the values.
 */
type Place = { readonly path: string; readonly children: readonly string[]; readonly words: readonly string[] };

/**
 * Returns a script that completes the command line in a shell. The script contains all words, so that the Tab key starts no process.
 * Therefore it completes no ids. Names and values consist of letters, digits, hyphens, dots and underscores and need no quotes.
 */
export function completionScript(program: Command, shell: Shell): string {
  const commands = withSubcommands(program);
  const places = commands.map(({ command, path }): Place => {
    const children = command.commands.map((child) => child.name());
    const choices = command.registeredArguments.flatMap((argument) => valuesOf(argument.name(), argument.argChoices));
    const options = new Set([...command.options, ...program.options].map(({ long }) => long ?? ''));
    return { path, children, words: [...children, ...choices, ...options, '--help'].filter((word) => word !== '') };
  });
  const options = commands
    .flatMap(({ command }) => command.options)
    .map((option): Place => {
      const words = valuesOf(option.attributeName(), option.argChoices);
      return { path: option.long ?? '', children: [], words };
    })
    .filter(({ words }) => words.length > 0);
  return { bash, zsh, fish }[shell](places, [...new Map(options.map((option) => [option.path, option])).values()]);
}

function withSubcommands(command: Command, path = ''): { readonly command: Command; readonly path: string }[] {
  return [{ command, path }, ...command.commands.flatMap((child) => withSubcommands(child, `${path} ${child.name()}`))];
}

/** Returns the patterns of `<path> <word>` in which the word is a command. All other words are ignored. */
const steps = (places: readonly Place[]) =>
  places.flatMap(({ path, children }) => children.map((child) => `"${path} ${child}"`)).join('|');

const branches = (places: readonly Place[], line: (words: string) => string) =>
  places.map(({ path, words }) => `    "${path}") ${line(words.join(' '))} ;;`).join('\n');

const names = (options: readonly Place[]) => options.map(({ path }) => path).join('|');

const bash = (places: readonly Place[], options: readonly Place[]) => `_va_wave() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$at $word" in
      ${steps(places)}) at="$at $word" ;;
    esac
  done
  case "$word" in
    ${names(options)}) at="$word" ;;
  esac
  case "$at" in
${branches([...places, ...options], (words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _va_wave va-wave
`;

/** zsh runs functions of bash. */
const zsh = (places: readonly Place[], options: readonly Place[]) =>
  `autoload -Uz +X compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash(places, options)}`;

const fish = (places: readonly Place[], options: readonly Place[]) => `function __va_wave_at
  set -l at ""
  set -l last ""
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${steps(places).replaceAll('|', ' ')}
        set at "$at $word"
    end
    set last "$word"
  end
  switch "$last"
    case ${names(options).replaceAll('|', ' ')}
      set at "$last"
  end
  echo "$at"
end
complete -c va-wave -e
complete -c va-wave -f
${[...places, ...options].map(({ path, words }) => `complete -c va-wave -n 'test (__va_wave_at) = "${path}"' -a '${words.join(' ')}'`).join('\n')}
`;
