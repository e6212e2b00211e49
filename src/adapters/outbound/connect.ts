import { constants } from 'node:crypto';
import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { errorCode, Failure, type OutboundAttempt, suffix } from './attempt.ts';
import type { Endpoint } from './endpoint.ts';
import { meteredStream } from './metered-stream.ts';
import type { NetworkRule } from './network-rule.ts';
import { tlsFailure } from './peer-failure.ts';

/** A TLS connection whose certificate is verified. */
export type Connection = {
  readonly socket: TLSSocket;
  /** The TCP connection under the socket. Only it can keep the process alive. */
  readonly tcp: Socket;
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  /** Whether the server has asked for a client certificate and has not yet answered a request: false for a kept connection. In TLS 1.3 it refuses a client without one only after the handshake. */
  readonly certificateAsked: boolean;
};

const ADDRESSES_TRIED = 4;

/** TLS 1.3 and ECDHE. With DHE the server chooses the size: 10 000 bits take a second. Node takes the suites of TLS 1.3 and of TLS 1.2 in one list. */
const CIPHERS =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES';

/**
 * The hybrid group is offered, but its key of 1.2 KB is only sent to a server that asks for it. So the ClientHello fits into one TCP
 * segment: boxes on the way that read only the first one reset connections whose ClientHello does not.
 */
const KEY_EXCHANGE_GROUPS = 'X25519:X25519MLKEM768:P-256:P-384';
/**
 * Limit of a session ticket, whose size the server chooses and which a ClientHello repeats. With it and the longest host name a ClientHello
 * stays below 1,400 bytes, less than a TCP segment holds.
 */
const TICKET_MAX_BYTES = 768;

/** Creates the opening of connections. Create it once per process, because reading the certificate authorities takes time. */
export function createConnect(rule: NetworkRule, wallNow: () => number) {
  // The authorities are listed explicitly, because NODE_EXTRA_CA_CERTS extends the default set.
  const secureContext = createSecureContext({
    ca: [...rootCertificates, ...rule.extraCertificateAuthorities()],
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ecdhCurve: KEY_EXCHANGE_GROUPS,
    // In TLS 1.2 a server can ask for one handshake after another.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  const sessionOf = createTlsSessions(wallNow);

  /**
   * Opens a new, verified TLS connection to one of the checked addresses. Tries the next address when one refuses the connection or does not
   * respond for half of the remaining time. It sends no byte of the request, so this is still one attempt.
   * @param key connections of the same key resume their TLS session
   * @throws {Failure} `connect_failure`, `tls_failure`, `blocked_address`, or the attempt's timeout
   */
  return async (
    endpoint: Endpoint,
    addresses: readonly string[],
    attempt: OutboundAttempt,
    key: string | undefined,
  ): Promise<Connection> => {
    const openedAt = wallNow();
    attempt.phase = 'connecting';
    const candidates = addresses.slice(0, ADDRESSES_TRIED);
    const problems: string[] = [];
    for (const [index, address] of candidates.entries()) {
      const isLast = index === candidates.length - 1;
      const timeoutMs = isLast ? undefined : attempt.remainingMs() / 2;
      let tcp: Socket;
      try {
        tcp = await openTcp(address, endpoint.port, attempt.signal, timeoutMs);
      } catch (error) {
        if (error instanceof Failure) throw error;
        problems.push(`${address} ${connectProblem(errorCode(error))}`);
        continue;
      }
      attempt.endIfLate();
      // The address of the peer from the kernel, before a byte is sent. It is undefined when the connection is already closed.
      const peer = tcp.remoteAddress;
      if (peer === undefined) {
        tcp.destroy();
        problems.push(`${address} closed the connection`);
        continue;
      }
      const problem = rule.addressProblem(peer);
      if (problem !== undefined) {
        tcp.destroy();
        throw new Failure('blocked_address', `The connection led to ${problem}`);
      }
      const session = key === undefined ? undefined : sessionOf(key);
      const socket = await secure(tcp, endpoint, secureContext, attempt, session);
      return { socket, tcp, address, openedAt, certificateAsked: certificateAsked(socket) };
    }
    throw new Failure('connect_failure', `${endpoint.host} could not be reached: ${problems.join(', ')}`);
  };
}

function connectProblem(code: string): string {
  if (code === '') return 'did not answer in time';
  return code === 'ECONNREFUSED' ? 'refused the connection' : `could not be reached${suffix(code)}`;
}

/** Opens a TCP connection. @param timeoutMs time for this address; undefined: only the attempt's signal ends the wait */
function openTcp(address: string, port: number, signal: AbortSignal, timeoutMs: number | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // An address needs no DNS lookup and no "happy eyeballs".
    const family = isIPv6(address) ? 6 : 4;
    const socket = connectTcp({ host: address, port, family, autoSelectFamily: false, noDelay: true });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(new Error('silent')), timeoutMs);
    const stopWaiting = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const giveUp = (reason: unknown) => {
      stopWaiting();
      socket.destroy();
      reject(reason);
    };
    const onAbort = () => giveUp(signal.reason);
    signal.addEventListener('abort', onAbort);
    // This listener is never removed: an error of a socket without a listener would crash the process.
    socket.on('error', giveUp);
    socket.once('connect', () => {
      stopWaiting();
      resolve(socket);
    });
  });
}

/** Negotiates TLS over a TCP connection and verifies the server's certificate. Destroys the connection when that fails. */
function secure(
  tcp: Socket,
  endpoint: Endpoint,
  secureContext: SecureContext,
  attempt: OutboundAttempt,
  session: TlsSession | undefined,
): Promise<TLSSocket> {
  const { signal } = attempt;
  attempt.phase = 'securing';
  return new Promise((resolve, reject) => {
    let isSecured = false;
    let wasAsked = false;
    let handshakeSecret: Buffer | undefined;
    const socket: TLSSocket = connectTls({
      socket: meteredStream(tcp, {
        host: endpoint.host,
        decryptedBytes: () => (isSecured ? socket.bytesRead : undefined),
        handshakeSecret: () => handshakeSecret,
        beforeHandshake: attempt.endIfLate,
      }),
      secureContext,
      // The certificate is verified against `host`. SNI can only contain names (RFC 6066), so an address has no SNI.
      host: endpoint.host,
      servername: endpoint.isAddress ? '' : endpoint.host,
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
      rejectUnauthorized: true,
      session: session?.latest,
    });
    // Node would convert each certificate of the chain, also one that the server only appends, although it checks nothing but the names of the
    // first. That ends the process when a key is on a curve without a name of NIST, such as secp256k1.
    Object.assign(socket, {
      getPeerCertificate: () => ({ subject: {}, subjectaltname: socket.getPeerX509Certificate()?.subjectAltName }),
    });
    socket.on('keylog', (line: Buffer) => {
      // Asked here too, because a closed socket does not tell any more.
      wasAsked ||= certificateAsked(socket);
      const [label, , hex = ''] = line.toString().trim().split(' ');
      if (label === 'SERVER_HANDSHAKE_TRAFFIC_SECRET') handshakeSecret = Buffer.from(hex, 'hex');
    });
    if (session !== undefined) {
      socket.on('session', (latest) => {
        if ((socket.getTLSTicket()?.length ?? 0) <= TICKET_MAX_BYTES) session.remember(latest);
      });
    }
    const fail = (reason: unknown) => {
      // The session may be the cause of any error, so the next connection makes a full handshake.
      session?.forget();
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      tcp.destroy();
      reject(reason);
    };
    const onAbort = () => fail(signal.reason);
    const onError = (error: unknown) => fail(tlsFailure(error, endpoint.host, wasAsked || certificateAsked(socket)));
    const onClose = () => onError({ code: 'ECONNRESET' });
    signal.addEventListener('abort', onAbort);
    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once('secureConnect', () => {
      isSecured = true;
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('close', onClose);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}

/** Returns whether the server has asked for a client certificate: only such a request names the signatures that it accepts. */
const certificateAsked = (socket: TLSSocket): boolean => (socket.getSharedSigalgs()?.length ?? 0) > 0;

/** Milliseconds after the verification of a certificate in which its session may be resumed. */
const SESSION_MAX_MS = 60_000;
/** Limit of keys with a session. The oldest is removed first. */
const KEYS_MAX = 1000;

type TlsSession = {
  readonly latest: Buffer | undefined;
  readonly remember: (session: Buffer) => void;
  readonly forget: () => void;
};

/**
 * Stores the latest TLS session of each key, for Event deliveries of one Action to one host and port. Resuming a session saves sending
 * and checking the server's certificate, which is two thirds of the work of a handshake. The address of the new connection is still
 * checked, and it has new keys (TLS 1.3). A certificate is checked at least once a minute.
 * @param wallNow milliseconds since the epoch
 */
function createTlsSessions(wallNow: () => number): (key: string) => TlsSession {
  const entries = new BoundedMap<string, { readonly session: Buffer; readonly verifiedAt: number }>(KEYS_MAX);
  return (key) => {
    const storedSession = entries.get(key);
    const age = storedSession === undefined ? Number.POSITIVE_INFINITY : wallNow() - storedSession.verifiedAt;
    const usableSession = age >= 0 && age < SESSION_MAX_MS ? storedSession : undefined;
    const verifiedAt = usableSession?.verifiedAt ?? wallNow();
    return {
      latest: usableSession?.session,
      remember: (session) => entries.set(key, { session, verifiedAt }),
      forget: () => entries.delete(key),
    };
  };
}
