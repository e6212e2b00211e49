import { newRingKey, RING_CACHE_SECONDS, type RingStore } from '../auth/key-ring.ts';
import type { Clock, RandomBytes } from '../sources.ts';

export type RevokeTokenKeysPorts = {
  readonly tokenRing: RingStore;
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
};

export type RevokedTokenKeys = {
  readonly kid: string;
  /** Ids of the revoked keys. */
  readonly revoked: readonly string[];
  /** When the last container stops accepting the revoked keys. ISO 8601, UTC. */
  readonly ended_at: string;
};

/**
 * Replaces all keys of session tokens by a new one, after the keys may have leaked. All existing tokens become invalid as soon as each
 * container has read the ring again. The new key signs immediately: a container that does not know its id reads the ring again.
 * @throws Refusal 409 when the keys are replaced at the same moment: then nothing is revoked
 */
export async function revokeTokenKeys(ports: RevokeTokenKeysPorts): Promise<RevokedTokenKeys> {
  const former = await ports.tokenRing.read();
  const { kid, key } = newRingKey(ports.now(), ports.randomBytes);
  await ports.tokenRing.replace(former, [{ kid, key }]);
  return {
    kid,
    revoked: former.ring.map((old) => old.kid),
    ended_at: new Date(ports.now().getTime() + RING_CACHE_SECONDS * 1000).toISOString(),
  };
}
