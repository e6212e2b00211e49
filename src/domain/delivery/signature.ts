import { createHmac } from 'node:crypto';

/**
 * The `X-Service-Signature` header (spec "Outbound request signature"): `t=<unix seconds>,v1=<hex hmac-sha256>` over
 * `<t>.<raw body bytes>`, keyed by the Action's signing secret. Without a body the signed body is empty.
 */
export function signatureHeader(secret: string, timestampSeconds: number, body: Uint8Array | null): string {
  const hmac = createHmac('sha256', secret).update(`${timestampSeconds}.`);
  if (body !== null) hmac.update(body);
  return `t=${timestampSeconds},v1=${hmac.digest('hex')}`;
}
