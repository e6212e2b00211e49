import { type KeyRing, newRingKey, RING_CACHE_SECONDS } from '../auth/token-key-ring.ts';
import type { Clock, RandomBytes } from '../sources.ts';

export type RevokeTokenKeysPorts = {
  readonly tokenRing: { readonly read: () => Promise<KeyRing>; readonly write: (ring: KeyRing) => Promise<void> };
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
};

export type RevokedTokenKeys = {
  readonly kid: string;
  /** Ids of the keys that are worth nothing any more. */
  readonly revoked: readonly string[];
  /** From then on no container accepts them, in ISO 8601. */
  readonly ended_at: string;
};

/**
 * Replaces every key of session tokens by a new one, for when somebody else may know them: all tokens end, as soon as each container
 * has read the ring again. The new key signs at once: a container that does not know it yet looks for it when it sees it first.
 */
export async function revokeTokenKeys(ports: RevokeTokenKeysPorts): Promise<RevokedTokenKeys> {
  const former = await ports.tokenRing.read();
  const now = ports.now();
  const { kid, key } = newRingKey(now, ports.randomBytes);
  await ports.tokenRing.write([{ kid, key }]);
  return {
    kid,
    revoked: former.map((old) => old.kid),
    ended_at: new Date(now.getTime() + RING_CACHE_SECONDS * 1000).toISOString(),
  };
}
