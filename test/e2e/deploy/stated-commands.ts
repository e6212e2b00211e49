import { readDocument } from '../../docs/documents.ts';
import { awsCommands } from '../../docs/shell-commands.ts';

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
  const { text } = readDocument(path);
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${path} has no section ${heading}`);
  const filled = (word: string) =>
    word.replace(/<([\w -]+)>/g, (placeholder, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${path}, ${heading}: ${placeholder} has no value`);
      return value;
    });
  return awsCommands({ path, text: section }).map(({ words }) => words.map(filled));
}
