import { type RandomBytes, unixSeconds } from '../sources.ts';

/** A key of a ring. `key` is text with at least 256 bits of entropy. */
export type RingKey = {
  readonly kid: string;
  readonly key: string;
  /** When the key starts to sign, in Unix seconds. A key without it is always active. */
  readonly active_from?: number | undefined;
};

/** The keys, newest first. The newest active key signs. Each key verifies until the last token that it can have signed has expired. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** A ring as it is stored. `version` changes with every change of the ring. */
export type StoredRing = { readonly ring: KeyRing; readonly version: string };

/** The place where a ring is stored (adapters/secrets). */
export type RingStore = {
  /** Reads the ring, without a cache. */
  readonly read: () => Promise<StoredRing>;
  /** Replaces the ring that was read. @throws Refusal 409, and changes nothing, when the stored ring is another one by now */
  readonly replace: (seen: StoredRing, ring: KeyRing) => Promise<void>;
};

/** Seconds for which a container may use a ring before it reads it again. */
export const RING_CACHE_SECONDS = 300;

/** Returns the key that signs: the newest key that every container already knows. */
export function activeKey(ring: KeyRing, now: Date): RingKey {
  return ring.find((key) => (key.active_from ?? 0) <= unixSeconds(now)) ?? ring[ring.length - 1] ?? ring[0];
}

/** Creates a key that signs, or seals, as soon as every container has had time to read it. */
export function newRingKey(now: Date, randomBytes: RandomBytes): RingKey {
  return {
    kid: Buffer.from(randomBytes(9)).toString('base64url'),
    key: Buffer.from(randomBytes(48)).toString('base64url'),
    active_from: unixSeconds(now) + RING_CACHE_SECONDS,
  };
}
