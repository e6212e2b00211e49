import { BoundedMap } from '../../domain/bounded-map.ts';
import type { Sessions } from './connect.ts';

/** Milliseconds after the verification of a certificate in which its session may be resumed. */
const SESSION_MAX_MS = 60_000;
/** Limit of keys with a session. The oldest is removed first. */
const KEYS_MAX = 1000;

type Entry = { readonly session: Buffer; readonly verifiedAt: number };

/**
 * Stores the latest TLS session of each key, for Event deliveries of one Action to one host and port. Resuming a session saves sending
 * and checking the server's certificate, which is two thirds of the work of a handshake. The address of the new connection is still
 * checked, and it has new keys (TLS 1.3). A certificate is checked at least once a minute.
 * @param wallNow milliseconds since the epoch
 */
export function createTlsSessions(wallNow: () => number) {
  const entries = new BoundedMap<string, Entry>(KEYS_MAX);
  return {
    of: (key: string): Sessions => {
      const known = entries.get(key);
      const age = known === undefined ? Number.POSITIVE_INFINITY : wallNow() - known.verifiedAt;
      const usable = age >= 0 && age < SESSION_MAX_MS ? known : undefined;
      const verifiedAt = usable?.verifiedAt ?? wallNow();
      return {
        session: usable?.session,
        remember: (session) => {
          entries.set(key, { session, verifiedAt });
        },
      };
    },
    /** Removes the session of a key after a failure, so that the next connection makes a full handshake. */
    forget: (key: string): void => {
      entries.delete(key);
    },
  };
}
