import { documentedCommands } from '../../docs/documented-commands.ts';
import { wordsFrom } from '../../docs/shell-commands.ts';

/**
 * Returns the commands of `aws` that a section of a document states, ready to run.
 * @param heading of the section
 * @param values the values of its placeholders, such as `<name>` or `<ConfigurationTable output>`
 * @throws Error for a placeholder without a value
 */
export function statedCommands(
  path: string,
  heading: string,
  values: Readonly<Record<string, string>>,
): readonly (readonly string[])[] {
  const filled = (word: string) =>
    word.replace(/<([\w -]+)>/g, (placeholder, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${path}, ${heading}: ${placeholder} has no value`);
      return value;
    });
  return documentedCommands(path)
    .filter((command) => command.heading === heading && command.text.startsWith('aws '))
    .map(({ text }) => wordsFrom(text, 'aws '.length).map(filled));
}
