/**
 * Control characters, and invisible characters that reorder or hide text. Customers choose the names that are stored. A name must not
 * move the cursor, change the colour or overwrite text in an operator's terminal.
 */
const UNSAFE =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The last of these characters, invisible tags, are a pair of units. */
const escaped = (characters: string) =>
  characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns text that is safe to print on one line of a terminal. Unsafe characters are escaped as `\uXXXX`. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Returns JSON that is safe to print on a terminal and has the same meaning. It is indented by two spaces unless it is compact. */
export function safeJson(value: unknown, options: { readonly compact?: boolean } = {}): string {
  const json = JSON.stringify(value, null, options.compact === true ? 0 : 2);
  // JSON.stringify has escaped the C0 controls. The remaining line feeds belong to its indentation.
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}
