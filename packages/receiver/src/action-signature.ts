import { VerificationError } from './verification-error.ts';

export type ActionSignature = {
  /** Unix seconds, as the text that was signed. */
  readonly t: string;
  /** 64 hex digits. */
  readonly v1: string;
};

/**
 * Parses `t=<unix seconds>,v1=<hex hmac-sha256>`. It ignores other schemes next to `v1`, so that the service can add one.
 * @throws VerificationError `signature_missing`, `signature_malformed`
 */
export function parseActionSignature(header: string | undefined): ActionSignature {
  if (header === undefined) throw new VerificationError('signature_missing', 'X-Service-Signature is missing');
  const parts = new Map<string, string>();
  for (const part of header.split(',')) {
    const separator = part.indexOf('=');
    const name = part.slice(0, Math.max(separator, 0)).trim();
    if (name === '' || parts.has(name)) throw malformed();
    parts.set(name, part.slice(separator + 1).trim());
  }
  const t = parts.get('t');
  const v1 = parts.get('v1');
  if (t === undefined || v1 === undefined || !/^[0-9]{1,12}$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) throw malformed();
  return { t, v1 };
}

function malformed(): VerificationError {
  return new VerificationError(
    'signature_malformed',
    'X-Service-Signature must be t=<unix seconds>,v1=<hex hmac-sha256>',
  );
}
