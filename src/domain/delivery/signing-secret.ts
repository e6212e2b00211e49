import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { RandomBytes } from '../sources.ts';

/** One key of the sealing secret. `key` is any text with at least 256 bits of entropy. */
export type SealingKey = { readonly kid: string; readonly key: string };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new signing secret of an Action: 256 random bits behind the prefix that the field uses for webhook secrets. */
export function newSigningSecret(randomBytes: RandomBytes): string {
  return `whsec_${Buffer.from(randomBytes(32)).toString('base64url')}`;
}

/**
 * Seals a signing secret for storage: AES-256-GCM with the Action's id as associated data, so that a sealed secret moved to
 * another Action does not open. The result names the key: `v1.<kid>.<base64url>`.
 */
export function sealSigningSecret(secret: string, actionId: string, key: SealingKey, randomBytes: RandomBytes): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', aesKey(key), iv, { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(actionId),
  );
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.kid}.${sealed.toString('base64url')}`;
}

/** The id of the key that sealed this; empty for a text that is not sealed. */
export function sealedWith(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/**
 * Opens what sealSigningSecret made.
 * @throws Error when the key is not among `keys`, or the text was altered or belongs to another Action
 */
export function openSigningSecret(sealed: string, actionId: string, keys: readonly SealingKey[]): string {
  const [version, kid, text] = sealed.split('.');
  const key = keys.find((candidate) => candidate.kid === kid);
  if (version !== 'v1' || text === undefined || key === undefined) {
    throw new Error(`No key opens the signing secret of Action ${actionId}`);
  }
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', aesKey(key), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(actionId))
    .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  return (
    decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  );
}

/** Derived once for each key object: a ring is read every few minutes, and its keys open a secret with every delivery. */
const derived = new WeakMap<SealingKey, KeyObject>();

function aesKey(key: SealingKey): KeyObject {
  let aes = derived.get(key);
  if (aes === undefined) {
    aes = createSecretKey(new Uint8Array(hkdfSync('sha256', key.key, '', 'va-wave signing secrets', 32)));
    derived.set(key, aes);
  }
  return aes;
}
