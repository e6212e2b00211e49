/** Returns a text without what a search ignores: accents, in whatever form they are written, capitals, and what nobody can see. */
export const comparableText = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase();
