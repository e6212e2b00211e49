import { TTL_MINUTES_MAX } from '../../contract/limits.ts';
import { type RandomBytes, unixSeconds } from '../sources.ts';

/** A key of a ring. `key` is text with at least 256 bits of entropy. */
export type RingKey = {
  readonly kid: string;
  readonly key: string;
  /** When the key starts to sign, in Unix seconds. A key without it is always active. */
  readonly active_from?: number;
};

/** The keys, newest first. The newest active key signs. Each key verifies until the last token that it can have signed has expired. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** A ring as it is stored. `version` changes with every change of the ring. */
export type StoredRing = { readonly ring: KeyRing; readonly version: string };

export type RingStore = {
  readonly readRing: () => Promise<StoredRing>;
  /** Replaces the ring that was read. @throws Refusal 409, and changes nothing, when the stored ring is another one by now */
  readonly replace: (seen: StoredRing, ring: KeyRing) => Promise<void>;
};

/** Seconds for which a container may use a ring before it reads it again. */
export const RING_CACHE_SECONDS = 300;

/** Returns the key that signs: the newest key that every container already knows. Without one, it is the oldest. */
export function activeKey(ring: KeyRing, now: Date): RingKey {
  return ring.find((key) => (key.active_from ?? 0) <= unixSeconds(now)) ?? ring.at(-1) ?? ring[0];
}

/** Creates a key that signs, or seals, as soon as every container has had time to read it. */
export function newRingKey(now: Date, randomBytes: RandomBytes): RingKey {
  return {
    kid: Buffer.from(randomBytes(9)).toString('base64url'),
    key: Buffer.from(randomBytes(48)).toString('base64url'),
    active_from: unixSeconds(now) + RING_CACHE_SECONDS,
  };
}

/** Longest turn of a conversation in seconds (open point). A token that expires during a turn is still accepted for usage reports. */
export const TURN_MAX_SECONDS = 900;

/** Seconds for which a retired key is kept: until the last token that it signed is no longer accepted. */
const RETIRED_KEPT_SECONDS = TTL_MINUTES_MAX * 60 + TURN_MAX_SECONDS + RING_CACHE_SECONDS;

/** Returns the key with this id, unless its last token has expired: a leaked retired key is worthless, even while the ring has it. */
export const verifyingKey = (ring: KeyRing, kid: string, now: Date): RingKey | undefined =>
  stillNeeded(ring, now).find((key) => key.kid === kid);

/** Returns the keys without those whose last token has expired: the retired ones, counted from the time at which the next key began to sign. */
function stillNeeded(ring: KeyRing, now: Date): readonly RingKey[] {
  return ring.filter((_, index) => {
    const successor = ring[index - 1];
    return successor === undefined || (successor.active_from ?? 0) + RETIRED_KEPT_SECONDS > unixSeconds(now);
  });
}

/** Adds a key and removes the keys whose last token has expired. Repeated rotations invalidate no token. */
export const rotateRing = (ring: KeyRing, now: Date, randomBytes: RandomBytes): KeyRing => [
  newRingKey(now, randomBytes),
  ...stillNeeded(ring, now),
];

/** Returns the age of the newest key in days; undefined for the first key, because CloudFormation generates it without a time. */
export function newestKeyAgeDays([newest]: KeyRing, now: Date): number | undefined {
  if (newest.active_from === undefined) return undefined;
  return Math.max(0, (unixSeconds(now) - newest.active_from) / 86_400);
}

const ROTATE_AFTER_DAYS = 7;

/** Returns whether a scheduled run rotates the keys: when the newest key is a week old, and when its age is not known. */
export function isRotationDue(ring: KeyRing, now: Date): boolean {
  const age = newestKeyAgeDays(ring, now);
  return age === undefined || age >= ROTATE_AFTER_DAYS;
}
