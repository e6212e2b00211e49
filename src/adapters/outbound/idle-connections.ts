import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { OUTBOUND_TIMEOUT_MS } from '../../contract/limits.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { Connection } from './connect.ts';

/** Milliseconds by the wall clock, which also advances while a function is frozen. Shorter than the idle timeout of known servers (2 s or more). */
const IDLE_MAX_MS = 1000;
/**
 * Milliseconds between a response and the next request on its connection. A server that closes a connection after a response without
 * announcing it does so within this time, so that the close is seen before a request is written.
 */
const SETTLE_MS = 10;
/** Limit per key. A function handles no more messages at the same time. */
const IDLE_MAX_OF_KEY = 10;
/** Limit per process. The connection that has been idle for the longest time is closed first. */
const IDLE_MAX = 100;
/**
 * Age after which a connection is not reused. Together with its last request it is open for at most 30 s, so that load is distributed
 * again and certificates are checked.
 */
const USABLE_MAX_MS = 30_000 - OUTBOUND_TIMEOUT_MS;
/** Limit of distrusted keys. The oldest is removed first. */
const DISTRUSTED_MAX = 1000;

type Idle = { readonly connection: Connection; readonly since: number; readonly release: () => void };

/**
 * Keeps connections open between two requests, also between two invocations, while the function is frozen. In HTTP/1.1 a client cannot
 * know whether the server handled a request on a connection that failed. Therefore a connection is reused only under these conditions:
 * its server announced that it keeps the connection, it has been idle for less than a second, it received no byte, and it is still open
 * after one more whole turn of the event loop, in which a close that had already arrived would be read. When its next request still fails,
 * the request is not repeated, and no connection of this key is reused again.
 */
export type IdleConnections = {
  readonly put: (key: string, connection: Connection) => void;
  /** Returns an open connection to one of `addresses`, or undefined. Takes at most a few milliseconds. */
  readonly take: (key: string, addresses: readonly string[]) => Promise<Connection | undefined>;
  readonly distrust: (key: string) => void;
  /** Closes all connections and removes all distrusted keys. */
  readonly clear: () => void;
};

/** Creates an empty pool of idle connections. @param wallNow milliseconds since the epoch */
export function createIdleConnections(wallNow: () => number): IdleConnections {
  const idle = new Map<string, readonly Idle[]>();
  /** All idle connections, in the order in which they became idle. */
  const all = new Set<Idle>();
  const distrusted = new BoundedMap<string, true>(DISTRUSTED_MAX);
  const destroyAll = (entries: readonly Idle[] = []) => {
    for (const { connection } of entries) connection.socket.destroy();
  };

  function put(key: string, connection: Connection): void {
    const { socket, tcp } = connection;
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
    // The data listener makes the socket read, so that a close by the peer is noticed. Unexpected data closes the connection.
    socket.on('data', discard).on('end', discard).on('close', entry.release);
    tcp.unref();
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
    const { socket, tcp, address, openedAt } = connection;
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
    tcp.ref();
    socket.on('data', onData).on('end', onData);
    if (age() < SETTLE_MS) await sleep(SETTLE_MS - age());
    // The first one may run before the process reads from its sockets again, the second one runs after that.
    await nextTurn();
    await nextTurn();
    socket.off('data', onData).off('end', onData);
    return !spoke && !socket.destroyed && age() < IDLE_MAX_MS;
  }

  return {
    put,
    take,
    distrust: (key) => {
      distrusted.set(key, true);
      destroyAll(idle.get(key));
    },
    clear: () => {
      for (const entries of idle.values()) destroyAll(entries);
      distrusted.clear();
    },
  };
}
