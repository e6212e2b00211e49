import type { Sessions } from './connect.ts';

/** A resumed connection was verified by the first one of its session; that must not be long ago. Milliseconds. */
const SESSION_MAX_MS = 60_000;
/** Keys that are remembered; the oldest is forgotten first. */
const KEYS_MAX = 1000;

type Entry = { readonly session: Buffer; readonly verifiedAt: number };

/**
 * The latest TLS session of each key, for Event deliveries of one Action to one host and port. Resuming one saves the server's
 * certificate and its check, two thirds of a handshake's work, on a connection that is as fresh as any other: address checked, keys
 * agreed on anew (TLS 1.3). A certificate is checked at least once a minute.
 * @param wallNow milliseconds since the epoch
 */
export function createTlsSessions(wallNow: () => number) {
  const entries = new Map<string, Entry>();
  return {
    of: (key: string): Sessions => {
      const known = entries.get(key);
      const age = known === undefined ? Number.POSITIVE_INFINITY : wallNow() - known.verifiedAt;
      const usable = age >= 0 && age < SESSION_MAX_MS ? known : undefined;
      const verifiedAt = usable?.verifiedAt ?? wallNow();
      return {
        session: usable?.session,
        remember: (session) => {
          entries.delete(key);
          entries.set(key, { session, verifiedAt });
          const [oldest] = entries.keys();
          if (entries.size > KEYS_MAX && oldest !== undefined) entries.delete(oldest);
        },
      };
    },
    /** After a failure: the next connection is made from the beginning. */
    forget: (key: string): void => {
      entries.delete(key);
    },
  };
}
