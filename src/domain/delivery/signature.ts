import { createHmac } from 'node:crypto';

/** Signs `<timestamp>.<raw body bytes>`. A request without a body is signed as empty. */
type Sign = (secret: string, timestampSeconds: number, body: Uint8Array | null) => string;

/** The signature schemes by their tag, in the order of the header (spec "Outbound request signature"). Their values have no comma. */
const SCHEMES: Readonly<Record<string, Sign>> = {
  v1: (secret, timestampSeconds, body) =>
    createHmac('sha256', secret)
      .update(`${timestampSeconds}.`)
      .update(body ?? '')
      .digest('hex'),
};

/** Returns the value of the header `X-Service-Signature`: `t=<unix seconds>,v1=<hex hmac-sha256>`. Its key is the Action's signing secret. */
export const signatureHeader: Sign = (...signed) =>
  [`t=${signed[1]}`, ...Object.entries(SCHEMES).map(([tag, sign]) => `${tag}=${sign(...signed)}`)].join(',');

/** The characters by which the beginning of a signature is recognized. So many reveal too little of it, and stand nowhere by chance. */
const RECOGNIZED = 16;

/** Matches a signature in upper or lower case, and its beginning where the text is cut. */
function whole(signature: string): RegExp {
  const [...characters] = signature.replace(/\W/g, '\\$&').match(/\\?./g) ?? [];
  const rest = characters.splice(RECOGNIZED);
  return new RegExp(
    `${characters.join('')}${rest.map((one) => `(?:${one}`).join('')}${')?'.repeat(rest.length)}`,
    'gi',
  );
}

/** Returns a text without the signatures in these headers of a request: its own headers, or a response that echoes them. */
export function withoutSignatures(text: string, requestHeaders: Readonly<Record<string, string>>): string {
  return Object.entries(requestHeaders)
    .filter(([name]) => name.endsWith('-Signature'))
    .flatMap(([, header]) => header.split(',').filter((part) => !part.startsWith('t=')))
    .map((part) => part.replace(/^v\d+=/, ''))
    .filter((signature) => signature !== '')
    .reduce((rest, signature) => rest.replaceAll(whole(signature), '(not shown)'), text);
}
