import { createHmac } from 'node:crypto';

/**
 * Returns the value of the header `X-Service-Signature` (spec "Outbound request signature"): `t=<unix seconds>,v1=<hex hmac-sha256>`.
 * The HMAC is over `<t>.<raw body bytes>`, and its key is the Action's signing secret. A request without a body is signed as empty.
 */
export function signatureHeader(secret: string, timestampSeconds: number, body: Uint8Array | null): string {
  const hmac = createHmac('sha256', secret).update(`${timestampSeconds}.`);
  if (body !== null) hmac.update(body);
  return `t=${timestampSeconds},v1=${hmac.digest('hex')}`;
}
