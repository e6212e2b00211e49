import { createHmac } from 'node:crypto';

/** Signs `<timestamp>.<raw body bytes>`. A request without a body is signed as empty. */
type Sign = (secret: string, timestampSeconds: number, body: Uint8Array | null) => string;

/**
 * The signature schemes by their tag, in the order of the header (spec "Outbound request signature"). A tag is `v` and a number, by which
 * withoutSignatures finds it. A signature has no comma.
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

/** A signature is recognized by its first 16 characters: no other text has them by chance, and fewer reveal nothing that helps to forge one. */
const RECOGNIZED_CHARACTERS = 16;

/** Unlike toLowerCase, keeps the position of every character: `İ` would become two. */
const inLowerCase = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns a text without a signature, in whatever case, and without its beginning where it is cut. */
function withoutSignature(text: string, signature: string): string {
  const [searched, sought] = [inLowerCase(text), inLowerCase(signature)];
  const beginning = sought.slice(0, RECOGNIZED_CHARACTERS);
  let shown = '';
  let end = 0;
  for (let start = searched.indexOf(beginning); start >= 0; start = searched.indexOf(beginning, end)) {
    shown += `${text.slice(end, start)}(not shown)`;
    end = start + beginning.length;
    while (end - start < sought.length && searched[end] === sought[end - start]) end += 1;
  }
  return shown + text.slice(end);
}

/** Returns a text without the signatures in these headers of a request: its own headers, or a response that echoes them. */
export function withoutSignatures(text: string, requestHeaders: Readonly<Record<string, string>>): string {
  return Object.entries(requestHeaders)
    .filter(([name]) => name.endsWith('-Signature'))
    .flatMap(([, header]) => header.split(',').filter((part) => !part.startsWith('t=')))
    .map((part) => part.replace(/^v\d+=/, ''))
    .filter((signature) => signature !== '')
    .reduce(withoutSignature, text);
}
