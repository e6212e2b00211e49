import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto';

type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * SHA-256 and its HMAC as AWS's SDK takes them for its signatures. Node spends four times as long on an HMAC whose key is no
 * KeyObject, and the SDK makes two with the same keys for every call: so a key that was made one stays one.
 */
export class KeptKeySha256 {
  readonly #key: KeyObject | undefined;
  #hash: Hash | Hmac;

  /** @param secret makes it an HMAC */
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

/** Of a day's signing keys, which the SDK keeps as long as it uses them. */
const ofBytes = new WeakMap<object, KeyObject>();
/** Of a secret access key, and of what a signing key is derived from: a function has one at a time. */
const ofText = new Map<string, KeyObject>();
const TEXTS_MAX = 4;

function keptKey(secret: Source): KeyObject {
  const known = typeof secret === 'string' ? ofText.get(secret) : ofBytes.get(secret);
  if (known !== undefined) return known;
  const made = createSecretKey(bytesOf(secret));
  if (typeof secret !== 'string') ofBytes.set(secret, made);
  else {
    if (ofText.size >= TEXTS_MAX) ofText.clear();
    ofText.set(secret, made);
  }
  return made;
}

function bytesOf(data: Source): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
