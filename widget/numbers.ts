/** What the visitor typed into a number field: a number as JSON text, or why it is none, by the name of a text. */
export type Reading =
  | { readonly json: string }
  | { readonly problem: 'number' | 'zeros' }
  /** Both ways in which the number can be read, as the visitor could write them. */
  | { readonly problem: 'ambiguous'; readonly readings: string };

/**
 * Reads a number. The answer is the same in every language, because the page's language, the visitor's and the keyboard's can differ: a
 * telephone with a German keyboard offers only a comma, also on an English page. So both a comma and a point are a decimal separator, and
 * a number that one language reads as thousands and another as decimals (1.234) is refused. Takes the digits of any script and keeps each
 * of them. Refuses grouping, exponents, fractions and leading zeros, which an identifier may have and a number has not.
 */
export function readNumber(text: string): Reading {
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/\p{Nd}/gu, asciiDigit);
  const [, minus, whole = '', separator, decimals = ''] =
    /^(?:[+＋]|([-−－]))?(\d*)(?:([.,٫،．，])(\d+))?$/.exec(plain) ?? [];
  const sign = minus ? '-' : '';
  if (!whole && !decimals) return { problem: 'number' };
  if (/^0\d/.test(whole)) return { problem: 'zeros' };
  if (separator !== '٫' && decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) {
    return { problem: 'ambiguous', readings: `${sign}${whole}${decimals} / ${sign}${whole}${separator}${decimals}0` };
  }
  return { json: `${sign}${whole || 0}${decimals && `.${decimals}`}` };
}

/** The decimal digits of each script follow each other, from 0 to 9. Where two scripts meet, the digits before are a multiple of ten. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
  return String(before % 10);
}
