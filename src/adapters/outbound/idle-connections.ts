import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { OUTBOUND_TIMEOUT_MS } from '../../contract/limits.ts';
import type { Connection } from './connect.ts';

/** By the wall clock, which goes on while a function is frozen; shorter than any known server's patience (2 s and up). */
const IDLE_MAX_MS = 1000;
/**
 * What must pass between an answer and the next request on its connection. A server that closes after an answer without having
 * said so does it within this time, so that its close is seen before anything is written.
 */
const SETTLE_MS = 10;
/** Per key: a function handles no more at once. */
const IDLE_MAX_OF_KEY = 10;
/** Per process; the one that has been idle longest makes room. */
const IDLE_MAX = 100;
/** No connection lives longer than 30 s, the request included that uses it last: load is spread anew, and certificates are checked. */
const USABLE_MAX_MS = 30_000 - OUTBOUND_TIMEOUT_MS;
/** Keys that are distrusted; the oldest is forgotten first. */
const DISTRUSTED_MAX = 1000;

type Idle = { readonly connection: Connection; readonly since: number; readonly release: () => void };

/**
 * Connections between two requests, also of two invocations of a function that was frozen in between. HTTP/1.1 cannot tell a request that was lost from one that was acted on, so a connection
 * is given out only while nothing speaks against it: its server promised to keep it, it has been in this state for less than a
 * second, it has stayed open and silent for a moment, and it is still open after one more turn of the event loop, in which a close
 * that had already arrived would have been read. If one dies on its next request all the same, that request is not repeated, and
 * its key never gets a used connection again.
 */
export type IdleConnections = {
  readonly put: (key: string, connection: Connection) => void;
  /** An open connection to one of `addresses`, or undefined; takes a few milliseconds at most. */
  readonly take: (key: string, addresses: readonly string[]) => Promise<Connection | undefined>;
  readonly distrust: (key: string) => void;
  /** Destroys all, and forgets who is distrusted. */
  readonly clear: () => void;
};

/** @param wallNow milliseconds since the epoch */
export function createIdleConnections(wallNow: () => number): IdleConnections {
  const idle = new Map<string, readonly Idle[]>();
  /** In the order in which they became idle. */
  const all = new Set<Idle>();
  const distrusted = new Set<string>();
  const destroyAll = (entries: readonly Idle[] = []) => {
    for (const { connection } of entries) connection.socket.destroy();
  };

  function put(key: string, connection: Connection): void {
    const { socket } = connection;
    const entries = idle.get(key) ?? [];
    const usableMs = connection.openedAt + USABLE_MAX_MS - wallNow();
    if (distrusted.has(key) || entries.length >= IDLE_MAX_OF_KEY || usableMs <= 0) {
      socket.destroy();
      return;
    }
    const discard = () => socket.destroy();
    const expiry = setTimeout(discard, Math.min(IDLE_MAX_MS, usableMs)).unref();
    const entry: Idle = {
      connection,
      since: wallNow(),
      release: () => {
        clearTimeout(expiry);
        all.delete(entry);
        socket.off('data', discard).off('end', discard).off('close', entry.release);
        const rest = (idle.get(key) ?? []).filter((other) => other !== entry);
        if (rest.length === 0) idle.delete(key);
        else idle.set(key, rest);
      },
    };
    idle.set(key, [...entries, entry]);
    all.add(entry);
    // Listening for data makes the socket read, without which the peer's close goes unnoticed; what it says unasked ends it.
    socket.on('data', discard).on('end', discard).on('close', entry.release);
    socket.unref();
    const [oldest] = all;
    if (all.size > IDLE_MAX && oldest !== undefined) {
      oldest.release();
      oldest.connection.socket.destroy();
    }
  }

  async function take(key: string, addresses: readonly string[]): Promise<Connection | undefined> {
    for (;;) {
      const entry = idle.get(key)?.[0];
      if (entry === undefined) return undefined;
      if (await usable(entry, addresses)) return entry.connection;
      entry.connection.socket.destroy();
    }
  }

  async function usable(entry: Idle, addresses: readonly string[]): Promise<boolean> {
    const { connection, since, release } = entry;
    const { socket, address, openedAt } = connection;
    const lived = () => wallNow() - openedAt;
    const age = () => wallNow() - since;
    release();
    if (
      socket.destroyed ||
      !addresses.includes(address) ||
      age() < 0 ||
      age() >= IDLE_MAX_MS ||
      lived() >= USABLE_MAX_MS
    )
      return false;
    let spoke = false;
    const onData = () => {
      spoke = true;
    };
    socket.ref().on('data', onData).on('end', onData);
    if (age() < SETTLE_MS) await sleep(SETTLE_MS - age());
    await nextTurn();
    socket.off('data', onData).off('end', onData);
    return !spoke && !socket.destroyed && age() < IDLE_MAX_MS;
  }

  return {
    put,
    take,
    distrust: (key) => {
      distrusted.add(key);
      const [oldest] = distrusted;
      if (distrusted.size > DISTRUSTED_MAX && oldest !== undefined) distrusted.delete(oldest);
      destroyAll(idle.get(key));
    },
    clear: () => {
      for (const entries of idle.values()) destroyAll(entries);
      distrusted.clear();
    },
  };
}
