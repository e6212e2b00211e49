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
/** With its last request a connection is open for 30 s at most, so that load is spread and certificates checked. */
const USABLE_MAX_MS = 30_000 - OUTBOUND_TIMEOUT_MS;
const DISTRUSTED_KEYS_MAX = 1000;

type Idle = {
  readonly key: string;
  readonly connection: Connection;
  /** When it became idle, in milliseconds since the epoch. */
  readonly since: number;
  readonly removeFromPool: () => void;
};

/**
 * Creates an empty pool of connections that stay open between two requests, also between two invocations, while the function is frozen. In
 * HTTP/1.1 a client cannot know whether the server handled a request on a connection that failed. Therefore a connection is reused only under
 * these conditions: its server announced that it keeps the connection, it has been idle for less than a second, it received no byte, and
 * it is still open after one more whole turn of the event loop, in which a close that had already arrived would be read. When its next
 * request still fails, the request is not repeated, and no connection of this key is reused again.
 * @param wallNow milliseconds since the epoch
 */
export function createIdleConnections(wallNow: () => number) {
  /** In the order in which they became idle. A closed one leaves the pool when its socket says so. */
  const idle = new Set<Idle>();
  const ofKey = (key: string) => [...idle].filter((entry) => entry.key === key);
  const distrustedKeys = new BoundedMap<string, true>(DISTRUSTED_KEYS_MAX);

  function keepConnection(key: string, connection: Connection): void {
    const { socket, tcp } = connection;
    const usableMs = connection.openedAt + USABLE_MAX_MS - wallNow();
    if (distrustedKeys.has(key) || ofKey(key).length >= IDLE_MAX_OF_KEY || usableMs <= 0) {
      socket.destroy();
      return;
    }
    const discard = () => socket.destroy();
    const expiry = setTimeout(discard, Math.min(IDLE_MAX_MS, usableMs)).unref();
    const entry: Idle = {
      key,
      connection,
      since: wallNow(),
      removeFromPool: () => {
        clearTimeout(expiry);
        idle.delete(entry);
        socket.off('data', discard).off('end', discard).off('close', entry.removeFromPool);
      },
    };
    idle.add(entry);
    // The data listener makes the socket read, so that a close by the peer is noticed. Unexpected data closes the connection.
    socket.on('data', discard).on('end', discard).on('close', entry.removeFromPool);
    tcp.unref();
    const [oldest] = idle;
    if (idle.size > IDLE_MAX && oldest !== undefined) {
      oldest.removeFromPool();
      oldest.connection.socket.destroy();
    }
  }

  /** Returns an open connection to one of `addresses`, or undefined. Takes at most a few milliseconds. */
  async function take(key: string, addresses: readonly string[]): Promise<Connection | undefined> {
    for (;;) {
      const [entry] = ofKey(key);
      if (entry === undefined) return undefined;
      entry.removeFromPool();
      const { connection } = entry;
      const isUsable = !connection.socket.destroyed && addresses.includes(connection.address) && isYoung(entry);
      if (isUsable && (await staysQuiet(entry)) && isYoung(entry)) return connection;
      connection.socket.destroy();
    }
  }

  const idleMs = ({ since }: Idle) => wallNow() - since;
  // A negative time is that of a clock that was set back.
  const isYoung = (entry: Idle): boolean =>
    idleMs(entry) >= 0 && idleMs(entry) < IDLE_MAX_MS && wallNow() - entry.connection.openedAt < USABLE_MAX_MS;

  /** Waits until a close that had already arrived would be read. Returns whether the connection is still open and received no byte. */
  async function staysQuiet(entry: Idle): Promise<boolean> {
    const { socket, tcp } = entry.connection;
    let spoke = false;
    const onData = () => {
      spoke = true;
    };
    tcp.ref();
    socket.on('data', onData).on('end', onData);
    if (idleMs(entry) < SETTLE_MS) await sleep(SETTLE_MS - idleMs(entry));
    // The first one may run before the process reads from its sockets again, the second one runs after that.
    await nextTurn();
    await nextTurn();
    socket.off('data', onData).off('end', onData);
    return !spoke && !socket.destroyed;
  }

  return {
    keepConnection,
    take,
    /** Closes the connections of a key, of which none is kept any more. */
    distrust: (key: string): void => {
      distrustedKeys.set(key, true);
      for (const { connection } of ofKey(key)) connection.socket.destroy();
    },
    clear: (): void => {
      for (const { connection } of idle) connection.socket.destroy();
      distrustedKeys.clear();
    },
  };
}
