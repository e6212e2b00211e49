/**
 * Control characters, and the invisible ones that reorder or hide text. Names are stored as somebody wrote them, and must
 * not move the cursor, recolour or rewrite an operator's terminal.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text that is safe to print on one line of a terminal: what is unsafe stands there as `\uXXXX`. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** JSON that is safe to print on a terminal and means the same as without it. Two spaces of indentation, unless compact. */
export function safeJson(value: unknown, options: { readonly compact?: boolean } = {}): string {
  const json = JSON.stringify(value, null, options.compact === true ? 0 : 2);
  // JSON.stringify escaped the C0 controls; the line feeds that are left are its own indentation.
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}
