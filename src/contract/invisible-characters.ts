/** Characters that nobody can see, apart from the space: controls, formats, other spaces, the empty Braille pattern, and what Unicode says is not displayed. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const NAMES: Readonly<Record<string, string>> = {
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
};

/** Returns that a text has a character which nobody can see, with its name; undefined when it has none. */
export function invisibleProblem(text: string, invisible = INVISIBLE): string | undefined {
  const [character] = invisible.exec(text) ?? [];
  if (character === undefined) return undefined;
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES[character];
  return `must not contain the invisible character ${code}${name === undefined ? '' : ` (${name})`}`;
}
