import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Failure } from './attempt.ts';
import { certificateRequestBytes } from './certificate-request.ts';

/**
 * Bytes that a server may send until TLS is negotiated. Most of them are its certificates, of which public authorities issue some 4 KB.
 * OpenSSL takes 100 KB, which Node cannot change, and checks all signatures without a break, also of a chain that nobody trusts.
 */
const HANDSHAKE_MAX_BYTES = 12 * 1024;
/**
 * Bytes of a request for a client certificate, in addition. A server that asks for an optional one may name all public authorities, which
 * are some 15 KB. The names cost little: 48 KB of the shortest take 5 ms, 12 KB of the slowest certificates 90 ms.
 */
const CERTIFICATE_REQUEST_MAX_BYTES = 48 * 1024;
/**
 * Bytes on the wire after the handshake that are not yet, or never become, part of a response: one whole record, and a few session tickets.
 * A record adds at most some 80 bytes, so this and twice the response are enough for records of any size that a server has a reason to use.
 */
const OVERHEAD_MAX_BYTES = 32 * 1024;
/** Bytes of a connection that are decrypted in one turn of the event loop. */
const TURN_BYTES = 4096;

type TlsProgress = {
  readonly host: string;
  /** Returns the bytes of responses that TLS has returned so far, or undefined during the handshake. */
  readonly decryptedBytes: () => number | undefined;
  /** Returns the secret of the server's handshake in TLS 1.3, once it is known. */
  readonly handshakeSecret: () => Buffer | undefined;
  /** Is called before TLS reads bytes of the handshake. It may destroy the stream. */
  readonly beforeHandshake: () => void;
};

const waitingTasks: (() => void)[] = [];
/** Runs one task in each turn of the event loop. Otherwise a turn could check the certificates, or parse the responses, of a whole batch. */
function inOwnTurn(task: () => void) {
  waitingTasks.push(task);
  if (waitingTasks.length === 1) setImmediate(runNext);
}
function runNext() {
  // The task stays in the list while it runs, so that a task that it adds starts no second chain.
  waitingTasks[0]?.();
  waitingTasks.shift();
  if (waitingTasks.length > 0) setImmediate(runNext);
}

/**
 * Returns a stream over a TCP connection, for TLS to read from. It bounds what the server's bytes cost the process: until `decryptedBytes` returns a
 * number, `HANDSHAKE_MAX_BYTES` and the bytes of a request for a client certificate; from then on, `OVERHEAD_MAX_BYTES` and twice the decrypted
 * bytes. In this way certificates, session tickets, key updates and records of one byte have a bound, although Node reports none of them. The
 * connections take turns, with 4 KB each. The stream and its connection are destroyed with a Failure when the server sends more.
 */
export function meteredStream(tcp: Socket, tls: TlsProgress): Duplex {
  const { host, decryptedBytes } = tls;
  let receivedBytes = 0;
  /** The bytes of the handshake, until they are looked into. */
  let handshake: Buffer[] | undefined = [];
  let handshakeMax = HANDSHAKE_MAX_BYTES;
  /** Returns whether the handshake may go on after this piece. Looks into its bytes only when there are more than an ordinary handshake has. */
  const mayGoOn = (piece: Buffer) => {
    handshake?.push(piece);
    if (receivedBytes > handshakeMax && handshake !== undefined) {
      const requestBytes = certificateRequestBytes(Buffer.concat(handshake), tls.handshakeSecret());
      if (requestBytes <= CERTIFICATE_REQUEST_MAX_BYTES) handshakeMax += requestBytes;
      handshake = undefined;
    }
    return receivedBytes <= handshakeMax;
  };
  /** Returns why the server may send no more; undefined when it may. */
  const problemAfter = (piece: Buffer): Failure | undefined => {
    const useful = decryptedBytes();
    if (useful === undefined) {
      if (mayGoOn(piece)) return undefined;
      return new Failure('tls_failure', `${host} sent more than ${HANDSHAKE_MAX_BYTES / 1024} KB to negotiate TLS`);
    }
    handshake = undefined;
    if (receivedBytes <= OVERHEAD_MAX_BYTES + 2 * useful) return undefined;
    return new Failure('response_malformed', `${host} sent too many bytes that are not part of a response`);
  };
  let unreadBytes: Buffer = Buffer.alloc(0);
  const stream = new Duplex({
    read: () => {
      if (unreadBytes.length === 0) tcp.resume();
    },
    write: (chunk: Buffer, _encoding, done) => void tcp.write(chunk, done),
    writev: (chunks, done) => void tcp.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    final: (done) => void tcp.end(done),
    destroy: (error, done) => {
      tcp.destroy();
      done(error);
    },
  });

  const waitingEnds: (() => void)[] = [];
  const passPiece = () => {
    if (decryptedBytes() === undefined) tls.beforeHandshake();
    if (stream.destroyed) return;
    const piece = unreadBytes.subarray(0, TURN_BYTES);
    unreadBytes = unreadBytes.subarray(TURN_BYTES);
    receivedBytes += piece.length;
    const problem = problemAfter(piece);
    if (problem !== undefined) return void stream.destroy(problem);
    const isMoreWanted = stream.push(piece);
    if (unreadBytes.length > 0) return inOwnTurn(passPiece);
    for (const end of waitingEnds) end();
    if (isMoreWanted) tcp.resume();
  };
  /** A connection may end while bytes that it received before still wait for their turn. */
  const afterUnreadBytes = (end: () => void) => {
    if (unreadBytes.length === 0) end();
    else waitingEnds.push(end);
  };
  tcp.on('data', (chunk: Buffer) => {
    tcp.pause();
    unreadBytes = chunk;
    // After the handshake the first bytes do not wait, so that the close of an idle connection is seen at once.
    if (decryptedBytes() === undefined) inOwnTurn(passPiece);
    else passPiece();
  });
  tcp.on('end', () => afterUnreadBytes(() => stream.push(null)));
  tcp.on('error', (error) => afterUnreadBytes(() => stream.destroy(error)));
  tcp.on('close', () =>
    afterUnreadBytes(() => {
      if (!tcp.readableEnded || stream.readableEnded) stream.destroy();
      else stream.once('end', () => stream.destroy());
    }),
  );
  return stream;
}
