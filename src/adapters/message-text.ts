/**
 * Writes a value as JSON that a queue accepts. SQS takes only the characters of XML 1.0. JSON.stringify already escapes control characters
 * and unpaired surrogates; this function also escapes U+FFFE and U+FFFF, which stand only in strings. Every parser reads the same value.
 * @throws RangeError for a value that is nested too deeply; TypeError for a value that JSON does not have
 */
export const messageText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
