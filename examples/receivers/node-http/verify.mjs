import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the X-Service-Signature header with the raw bytes of the body.
 * @param {Buffer} rawBody
 * @param {string | undefined} header
 * @param {string} secret the Action's signing secret
 * @returns {{ status: 400 | 401, error: string } | undefined} undefined when the signature matches and the timestamp is fresh
 */
export function problemWith(rawBody, header, secret, now = Date.now() / 1000) {
  if (header === undefined) return { status: 400, error: 'X-Service-Signature is missing' };
  const pairs = header.split(',').map((part) => part.trim().split('=', 2));
  const parts = Object.fromEntries(pairs);
  const { t = '', v1 = '' } = parts;
  const repeated = Object.keys(parts).length < pairs.length;
  if (repeated || !/^[0-9]{1,12}$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) {
    return { status: 400, error: 'X-Service-Signature is malformed' };
  }
  if (Math.abs(now - Number(t)) > TOLERANCE_SECONDS) return { status: 400, error: 'The timestamp is stale' };

  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  if (!timingSafeEqual(Buffer.from(v1, 'hex'), expected)) {
    return { status: 401, error: 'The signature does not match' };
  }
  return undefined;
}
