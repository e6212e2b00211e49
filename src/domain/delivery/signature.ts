import { createHmac } from 'node:crypto';

/** Signs `<timestamp>.<raw body bytes>`. A request without a body is signed as empty. */
type Sign = (secret: string, timestampSeconds: number, body: Uint8Array | null) => string;

/**
 * The signature schemes by their tag, in the order of the header (spec "Outbound request signature"). A tag is `v` and a number, by which
 * signaturesIn finds it. A signature has no comma.
 */
const SCHEMES: Readonly<Record<string, Sign>> = {
  v1: (secret, timestampSeconds, body) =>
    createHmac('sha256', secret)
      .update(`${timestampSeconds}.`)
      .update(body ?? '')
      .digest('hex'),
};

/** Returns the value of the header `X-Service-Signature`: `t=<unix seconds>,v1=<hex hmac-sha256>`. Its key is the Action's signing secret. */
export function signatureHeader(secret: string, timestampSeconds: number, body: Uint8Array | null): string {
  const signatures = Object.entries(SCHEMES).map(([tag, sign]) => `${tag}=${sign(secret, timestampSeconds, body)}`);
  return [`t=${timestampSeconds}`, ...signatures].join(',');
}

export const signaturesIn = (header: string): readonly string[] =>
  header
    .split(',')
    .filter((part) => /^v\d/.test(part))
    .map((part) => part.slice(part.indexOf('=') + 1));

/** A withheld text is recognized by its first 16 characters: no other text has them by chance, and fewer reveal nothing that helps to forge one. */
const RECOGNIZED_CHARACTERS = 16;

const hex = (number: number, digits = 2) => number.toString(16).padStart(digits, '0');
const unicodeEscape = (unit: string) => `\\u${hex(unit.charCodeAt(0), 4)}`;
/** Returns Base64 of a text that follows `offset` bytes. Of the characters at its ends, which hold neighbouring bytes too, there are none. */
const base64After = (offset: number) => (text: string) => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  return bytes.toString('base64').slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3));
};

/** The ways in which an endpoint that echoes a request may write a text: as it is, in JSON, in a URL, in HTML, in Base64. */
const ENCODINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  // Python and PHP escape what is not ASCII.
  (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\x20-\x7e]/g, unicodeEscape),
  encodeURIComponent,
  (text) => text.split('').map(unicodeEscape).join(''),
  (text) => Array.from(Buffer.from(text), (byte) => `%${hex(byte)}`).join(''),
  (text) => Array.from(text, (character) => `&#x${hex(character.codePointAt(0) ?? 0)};`).join(''),
  (text) => Array.from(text, (character) => `&#${character.codePointAt(0)};`).join(''),
  ...[0, 1, 2].map(base64After),
];

/** Keeps the position of every character: `İ` alone would become two. */
const inLowerCase = (text: string) => text.replaceAll('İ', 'i').toLowerCase();

/** Returns a text without a secret in this encoding, in whatever case, also where only its beginning is there. */
function withoutSecret(text: string, secret: string, encode: (text: string) => string): string {
  const searchedText = inLowerCase(text);
  // Whole characters: half of one has no encoding.
  const soughtBeginning = inLowerCase(encode(Array.from(secret).slice(0, RECOGNIZED_CHARACTERS).join('')));
  let start = searchedText.indexOf(soughtBeginning);
  // Almost always. The whole secret is encoded only where its beginning is there.
  if (start < 0) return text;
  const soughtText = inLowerCase(encode(secret));
  let shownText = '';
  let end = 0;
  for (; start >= 0; start = searchedText.indexOf(soughtBeginning, end)) {
    shownText += `${text.slice(end, start)}(not shown)`;
    end = start + soughtBeginning.length;
    while (end - start < soughtText.length && searchedText[end] === soughtText[end - start]) end += 1;
  }
  return shownText + text.slice(end);
}

/** Returns a text without what a request withholds (OutboundRequest), however an endpoint wrote it. Secrets of fewer than 16 characters stay. */
export function withoutWithheld(text: string, withheldTexts: readonly string[]): string {
  if (text.length < RECOGNIZED_CHARACTERS) return text;
  return withheldTexts
    .filter(({ length }) => length >= RECOGNIZED_CHARACTERS)
    .reduce((shown, secret) => ENCODINGS.reduce((part, encoded) => withoutSecret(part, secret, encoded), shown), text);
}
