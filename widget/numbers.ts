/** What a field sends, as JSON, or why it cannot be sent. Neither for a field that is left empty. */
export type Content = { readonly json?: string; readonly problem?: string };

/**
 * Reads a number. The answer is the same in every language, because the page's language, the visitor's and the keyboard's can differ: a
 * telephone with a German keyboard offers only a comma, also on an English page. So both a comma and a point are a decimal separator, and
 * a number that one language reads as thousands and another as decimals (1.234) is refused with both readings. Takes the digits of any
 * script and keeps each of them. Refuses grouping, exponents, fractions (1/2) and leading zeros, which an identifier may have and a number has not.
 */
export function readNumber(text: string, texts: Readonly<Record<'number' | 'zeros' | 'ambiguous', string>>): Content {
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/\p{Nd}/gu, asciiDigit);
  const [, minus, whole = '', separator, decimals = ''] =
    /^(?:[+＋]|([-−－]))?(\d*)(?:([.,٫،．，])(\d+))?$/.exec(plain) ?? [];
  if (!whole && !decimals) return { problem: texts.number };
  if (/^0\d/.test(whole)) return { problem: texts.zeros };
  // In German, 1.234 is more than a thousand. Nobody separates thousands by ٫, the decimal separator of Arabic.
  if (separator !== '٫' && /^[1-9]\d{0,2}\D\d{3}$/.test(whole + separator + decimals)) {
    return { problem: `${texts.ambiguous} ${plain.replace(separator ?? '', '')} / ${plain}0` };
  }
  return { json: `${minus ? '-' : ''}${whole || 0}${decimals && `.${decimals}`}` };
}

/** The digits of each script follow each other, from 0 to 9. So the number of digits before this one, modulo ten, is its value. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let digitsBefore = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - digitsBefore - 1))) digitsBefore++;
  return String(digitsBefore % 10);
}
