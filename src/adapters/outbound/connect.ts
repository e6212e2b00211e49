import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { Attempt } from './attempt.ts';
import type { Endpoint } from './endpoint.ts';
import { connectFailure, Failure, tlsFailure } from './failure.ts';
import { meteredStream } from './metered-stream.ts';
import type { NetworkRule } from './rule.ts';

/** A TLS connection whose certificate is verified. */
export type Connection = {
  readonly socket: TLSSocket;
  /** The TCP connection under the socket. Only it can keep the process alive. */
  readonly tcp: Socket;
  /** The checked address of the peer. */
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
};

/** The TLS session of one key. Resuming it saves sending and checking the certificate on the next connection. */
export type Sessions = {
  readonly session: Buffer | undefined;
  readonly remember: (session: Buffer) => void;
};

/** Limit of addresses of one host name to which an attempt connects. */
const ADDRESSES_TRIED = 4;

/**
 * Opens a new, verified TLS connection to one of the checked addresses. Tries the next address when one refuses the connection or does not
 * respond for half of the remaining time. It sends no byte of the request, so this is still one attempt.
 * @throws {Failure} `connect_failure`, `tls_failure`, `blocked_address`, or the attempt's timeout
 */
export async function openConnection(
  endpoint: Endpoint,
  addresses: readonly string[],
  rule: NetworkRule,
  secureContext: SecureContext,
  attempt: Attempt,
  sessions?: Sessions,
): Promise<Omit<Connection, 'openedAt'>> {
  attempt.stage = 'connecting';
  const candidates = addresses.slice(0, ADDRESSES_TRIED);
  let lastError: unknown;
  for (const [index, address] of candidates.entries()) {
    const isLast = index === candidates.length - 1;
    const timeoutMs = isLast ? undefined : attempt.remainingMs() / 2;
    let socket: Socket;
    try {
      socket = await openTcp(address, endpoint.port, attempt.signal, timeoutMs);
    } catch (error) {
      if (error instanceof Failure) throw error;
      lastError = error;
      continue;
    }
    // The address of the peer from the kernel, before a byte is sent. It is undefined when the connection is already closed.
    const peer = socket.remoteAddress;
    if (peer === undefined) {
      socket.destroy();
      continue;
    }
    const problem = rule.addressProblem(peer);
    if (problem === undefined) {
      return { socket: await secure(socket, endpoint, secureContext, attempt, sessions), tcp: socket, address };
    }
    socket.destroy();
    throw new Failure('blocked_address', `The connection led to ${problem}`);
  }
  throw connectFailure(lastError, endpoint.host);
}

function openTcp(address: string, port: number, signal: AbortSignal, timeoutMs: number | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // An address needs no DNS lookup and no "happy eyeballs".
    const socket = connectTcp({
      host: address,
      port,
      family: isIPv6(address) ? 6 : 4,
      autoSelectFamily: false,
      noDelay: true,
    });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(new Error('silent')), timeoutMs);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const giveUp = (reason: unknown) => {
      done();
      socket.destroy();
      reject(reason);
    };
    const onAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', onAbort);
    // This listener is never removed: an error of a socket without a listener would crash the process.
    socket.on('error', giveUp);
    socket.once('connect', () => {
      done();
      resolve(socket);
    });
  });
}

function secure(
  tcp: Socket,
  endpoint: Endpoint,
  secureContext: SecureContext,
  attempt: Attempt,
  sessions: Sessions | undefined,
): Promise<TLSSocket> {
  const { signal } = attempt;
  attempt.stage = 'securing';
  return new Promise((resolve, reject) => {
    let secured = false;
    const socket: TLSSocket = connectTls({
      socket: meteredStream(tcp, endpoint.host, () => (secured ? socket.bytesRead : undefined)),
      secureContext,
      // The certificate is verified against `host`. SNI can only contain names (RFC 6066), so an address has no SNI.
      host: endpoint.host,
      servername: endpoint.isAddress ? '' : endpoint.host,
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
      rejectUnauthorized: true,
      ...(sessions?.session === undefined ? {} : { session: sessions.session }),
    });
    if (sessions !== undefined) socket.on('session', sessions.remember);
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      tcp.destroy();
      reject(reason);
    };
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(tlsFailure({ code: 'ECONNRESET' }, endpoint.host));
    signal.addEventListener('abort', onAbort);
    socket.on('error', (error) => fail(tlsFailure(error, endpoint.host)));
    socket.once('close', onClose);
    socket.once('secureConnect', () => {
      secured = true;
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('close', onClose);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}
