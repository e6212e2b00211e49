import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connect.ts';

/** By the wall clock, which goes on while a function is frozen; shorter than any known server's patience (2 s and up). */
const IDLE_MAX_MS = 1000;
/**
 * What must pass between an answer and the next request on its connection. A server that closes after an answer without having
 * said so does it within this time, so that its close is seen before anything is written.
 */
const SETTLE_MS = 10;
/** Per key: a function handles no more at once. */
const IDLE_MAX_CONNECTIONS = 10;

type Idle = { readonly connection: Connection; readonly since: number; readonly release: () => void };

/**
 * Connections between two requests. HTTP/1.1 cannot tell a request that was lost from one that was acted on, so a connection
 * is given out only while nothing speaks against it: its server promised to keep it, it is younger than a second in this
 * state, it has stayed open and silent for a moment, and it is still open after one more turn of the event loop, in which a close
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
  const distrusted = new Set<string>();
  const destroyAll = (entries: readonly Idle[] = []) => {
    for (const { connection } of entries) connection.socket.destroy();
  };

  function put(key: string, connection: Connection): void {
    const { socket } = connection;
    const entries = idle.get(key) ?? [];
    if (distrusted.has(key) || entries.length >= IDLE_MAX_CONNECTIONS) {
      socket.destroy();
      return;
    }
    const discard = () => socket.destroy();
    const expiry = setTimeout(discard, IDLE_MAX_MS).unref();
    const entry: Idle = {
      connection,
      since: wallNow(),
      release: () => {
        clearTimeout(expiry);
        socket.off('data', discard).off('end', discard).off('close', entry.release);
        const rest = (idle.get(key) ?? []).filter((other) => other !== entry);
        if (rest.length === 0) idle.delete(key);
        else idle.set(key, rest);
      },
    };
    idle.set(key, [...entries, entry]);
    // Listening for data makes the socket read, without which the peer's close goes unnoticed; what it says unasked ends it.
    socket.on('data', discard).on('end', discard).on('close', entry.release);
    socket.unref();
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
    const { socket, address } = connection;
    const age = () => wallNow() - since;
    release();
    if (socket.destroyed || !addresses.includes(address) || age() < 0 || age() >= IDLE_MAX_MS) return false;
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
      destroyAll(idle.get(key));
    },
    clear: () => {
      for (const entries of idle.values()) destroyAll(entries);
      distrusted.clear();
    },
  };
}
