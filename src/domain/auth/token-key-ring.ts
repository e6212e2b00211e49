import { TTL_MINUTES_MAX } from '../../contract/limits.ts';
import { type RandomBytes, unixSeconds } from '../sources.ts';

/** A key of a ring. `key` is text with at least 256 bits of entropy. */
export type RingKey = {
  readonly kid: string;
  readonly key: string;
  /** Unix seconds; a key without it has been active from the beginning. */
  readonly active_from?: number | undefined;
};

/** Newest first. The newest active key signs; each verifies until the last token that it may have signed is gone. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** How long a container may use a ring before it reads it again, in seconds. */
export const RING_CACHE_SECONDS = 300;
/** No turn of a conversation takes longer (open point); a token that expired during one is still verified. */
export const TURN_MAX_SECONDS = 900;

/** A retired key goes when the last token that it signed can no longer be shown. */
const RETIRED_KEPT_SECONDS = TTL_MINUTES_MAX * 60 + TURN_MAX_SECONDS + RING_CACHE_SECONDS;

/** The key to sign with: the newest one that every container already knows. */
export function activeKey(ring: KeyRing, now: Date): RingKey {
  return ring.find((key) => (key.active_from ?? 0) <= unixSeconds(now)) ?? ring[ring.length - 1] ?? ring[0];
}

/**
 * The key of this id, unless the last token that it may have signed is gone: whoever holds a retired key signs for nobody, also
 * while the ring still has it.
 */
export function verifyingKey(ring: KeyRing, kid: string, now: Date): RingKey | undefined {
  return stillNeeded(ring, now).find((key) => key.kid === kid);
}

function stillNeeded(ring: KeyRing, now: Date): readonly RingKey[] {
  return ring.filter((_, index) => {
    const successor = ring[index - 1];
    return successor === undefined || (successor.active_from ?? 0) + RETIRED_KEPT_SECONDS > unixSeconds(now);
  });
}

/**
 * Adds a key, which signs once every container had time to read it, and drops those whose last token is gone. Running it
 * twice, or often, loses no token.
 */
export function rotateRing(ring: KeyRing, now: Date, randomBytes: RandomBytes): KeyRing {
  return [newRingKey(now, randomBytes), ...stillNeeded(ring, now)];
}

/** A key that signs, or seals, as soon as every container had time to read it. */
export function newRingKey(now: Date, randomBytes: RandomBytes): RingKey {
  return {
    kid: Buffer.from(randomBytes(9)).toString('base64url'),
    key: Buffer.from(randomBytes(48)).toString('base64url'),
    active_from: unixSeconds(now) + RING_CACHE_SECONDS,
  };
}

/** Age of the newest key in days; undefined for the first one, which CloudFormation made without saying when. */
export function newestKeyAgeDays([newest]: KeyRing, now: Date): number | undefined {
  if (newest.active_from === undefined) return undefined;
  return Math.max(0, (unixSeconds(now) - newest.active_from) / 86_400);
}
