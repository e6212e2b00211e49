import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto';
import { BoundedMap } from '../domain/bounded-map.ts';

type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 and HMAC-SHA-256 in the interface that the AWS SDK uses for signatures. Keeps the KeyObject of each key: an HMAC with another
 * kind of key takes Node four times as long, and the SDK computes two with the same keys for every call.
 */
export class KeptKeySha256 {
  readonly #key: KeyObject | undefined;
  #hash: Hash | Hmac;

  /** @param secret key of the HMAC; without it, the hash is plain SHA-256 */
  constructor(secret?: Source) {
    this.#key = secret === undefined ? undefined : keptKey(secret);
    this.#hash = started(this.#key);
  }

  update(data: Source): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = started(this.#key);
  }
}

const started = (key: KeyObject | undefined) => (key === undefined ? createHash('sha256') : createHmac('sha256', key));

/** KeyObjects of the day's signing keys. The SDK keeps these byte arrays while it uses them. */
const ofBytes = new WeakMap<object, KeyObject>();
/** KeyObjects of the secret access key and of the texts from which a signing key is derived. A function uses one set at a time. */
const ofText = new BoundedMap<string, KeyObject>(4);

function keptKey(secret: Source): KeyObject {
  const known = typeof secret === 'string' ? ofText.get(secret) : ofBytes.get(secret);
  if (known !== undefined) return known;
  const made = createSecretKey(bytesOf(secret));
  if (typeof secret !== 'string') ofBytes.set(secret, made);
  else ofText.set(secret, made);
  return made;
}

function bytesOf(data: Source): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
