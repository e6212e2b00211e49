/** Sign, digits, fraction and exponent of a number in JSON. An exponent of more digits is not computed with. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,15}))?$/;

/**
 * Returns the one spelling that all equal numbers of JSON share, and whether the number is an integer, as JSON Schema means it: `1.0` and
 * `1e3` are. Computes with digits and exponent, so that `1e999999999` takes no room. Takes a number that JSON.parse has made or one that
 * parseJson has kept as text; undefined for any other value, and for an exponent of more than 15 digits.
 */
export function jsonNumberOf(value: unknown): { readonly spelling: string; readonly integer: boolean } | undefined {
  const text = JSON.isRawJSON(value) ? value.rawJSON : typeof value === 'number' ? String(value) : '';
  const [, sign = '', whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return { spelling: '0', integer: true };
  const power = Number(exponent) - fraction.length + digits.length - end;
  return { spelling: `${sign}${digits.slice(0, end)}e${power}`, integer: power >= 0 };
}
