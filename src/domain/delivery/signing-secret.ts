import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { ServiceError } from '../service-error.ts';
import type { RandomBytes } from '../sources.ts';

/** One key of the sealing ring. `key` is text with at least 256 bits of entropy. */
export type SealingKey = { readonly kid: string; readonly key: string };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Creates the signing secret of an Action: `whsec_`, the usual prefix of webhook secrets, and 256 random bits. */
export const newSigningSecret = (randomBytes: RandomBytes): string =>
  `whsec_${Buffer.from(randomBytes(32)).toString('base64url')}`;

/**
 * Seals a signing secret for storage. Uses AES-256-GCM with the Action's id as associated data, so that the sealed secret cannot be
 * opened for another Action. The result is `v1.<kid>.<base64url>` with the id of the key.
 */
export function sealSigningSecret(secret: string, actionId: string, key: SealingKey, randomBytes: RandomBytes): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', aesKey(key), iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(actionId));
  const sealedBytes = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.kid}.${sealedBytes.toString('base64url')}`;
}

/** Returns the id of the key that sealed a secret; empty for text that is not sealed. */
export const sealedWith = (sealedSecret: string): string => sealedSecret.split('.')[1] ?? '';

/** @throws Error when its key is not in `keys`, or when the text was altered or belongs to another Action */
export function openSigningSecret(sealedSecret: string, actionId: string, keys: readonly SealingKey[]): string {
  const [version, kid, text] = sealedSecret.split('.');
  const key = keys.find((candidate) => candidate.kid === kid);
  if (version !== 'v1' || text === undefined || key === undefined) {
    throw new ServiceError(`No sealing key can open the signing secret of Action ${actionId}`);
  }
  const bytes = Buffer.from(text, 'base64url');
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', aesKey(key), iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(actionId)).setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}

/** AES keys by ring key. Each is derived once, because every delivery opens a secret and the ring changes rarely. */
const derivedKeys = new WeakMap<SealingKey, KeyObject>();

function aesKey(key: SealingKey): KeyObject {
  let aes = derivedKeys.get(key);
  if (aes === undefined) {
    aes = createSecretKey(new Uint8Array(hkdfSync('sha256', key.key, '', 'va-wave signing secrets', 32)));
    derivedKeys.set(key, aes);
  }
  return aes;
}
