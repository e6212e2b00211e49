import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import type { OutboundRequest } from '../../domain/delivery/outbound-request.ts';
import type { DeliveryError } from '../../domain/delivery/outcome.ts';
import { type Attempt, exchangeFailure, Failure } from './attempt.ts';
import type { Connection } from './connect.ts';
import type { Endpoint } from './endpoint.ts';

/** Limit of one header block. llhttp counts names, values and the reason phrase. */
const HEADER_BLOCK_MAX_BYTES = 16 * 1024;
/** Limit of all bytes before the body, including interim (1xx) responses. */
const BEFORE_BODY_MAX_BYTES = 64 * 1024;
/** Limit of the whole response as received: its body, and as much of headers, chunk sizes and trailers as a server has a reason to send. */
const WIRE_MAX_BYTES = RESPONSE_READ_MAX_BYTES + 256 * 1024;
/** Bytes of the body that are read after those that are kept, only to reuse the connection. */
const UNKEPT_MAX_BYTES = 64 * 1024;
/** Limit of pieces of the body. The parser calls back for each chunk, and a chunk of one byte costs as much as one of 16 KB. */
const PIECES_MAX = 10_000;
const FIRST_BLOCK_BYTES = 4096;
/** Matches a valid response head. Node's parser also accepts HTTP/2.0, RTSP/1.0 and others, and reports some of them as HTTP/1.0. */
const HEAD = /[\r\n]*HTTP\/1\.[01] [\s\S]*?\r?\n\r?\n/y;
const TAIL_BYTES = 4;

const LATE = { code: 'timeout', message: 'The response body did not end in time' } as const;
const BROKEN_OFF = { code: 'connection_closed', message: 'The response body broke off' } as const;
const WRAPPED = { code: 'response_malformed', message: 'The response body was wrapped in too many bytes' } as const;
const PIECES = { code: 'response_malformed', message: 'The response body came in too many pieces' } as const;

/** What an endpoint responded. */
export type EndpointResponse = {
  readonly status: number;
  readonly body: Uint8Array;
  /** Why the body is not whole, or not as far as the caller needs it; otherwise null. */
  readonly problem: DeliveryError | null;
  /** True when the peer keeps the connection open and no byte of this exchange is left on it. */
  readonly connectionReusable: boolean;
};

/**
 * Writes one request and reads its response. Never writes a second request. Destroys the connection when it cannot be reused. Uses Node's
 * HTTP client on its own socket (docs/decisions/0005).
 *
 * @throws {Failure} `connection_closed`, `response_malformed` or the attempt's timeout, all before a final status was received
 */
export async function exchange(
  { socket }: Connection,
  endpoint: Endpoint,
  request: OutboundRequest,
  keepAlive: boolean,
  attempt: Attempt,
): Promise<EndpointResponse> {
  attempt.stage = 'waiting';
  const { signal } = attempt;
  const { promise: head, resolve: receive, reject: fail } = Promise.withResolvers<Head>();
  const wire = readWire();
  let heads = 1;
  let reader: BodyReader | undefined;

  const outgoing = httpRequest({
    createConnection: () => socket,
    method: request.method,
    path: endpoint.target,
    headers: requestHeaders(endpoint, request, keepAlive),
    setDefaultHeaders: false,
    maxHeaderSize: HEADER_BLOCK_MAX_BYTES,
    // Set explicitly, because --insecure-http-parser changes the default.
    insecureHTTPParser: false,
  });
  /** Ends the exchange early: with a failure before the head is received, with the status and a problem afterwards. */
  const breakOff = (failure: () => unknown, problem: DeliveryError) => {
    if (reader === undefined) fail(failure());
    else reader.breakOff(problem);
  };
  const onAbort = () => breakOff(() => signal.reason, LATE);
  const onBytes = (chunk: Buffer) => {
    wire.read(chunk);
    if (wire.received() <= (reader === undefined ? BEFORE_BODY_MAX_BYTES : WIRE_MAX_BYTES)) return;
    const failure = () => new Failure('response_malformed', `${endpoint.host} sent too much before its response`);
    breakOff(failure, WRAPPED);
  };

  // Added on this event, because an earlier listener would start the socket before the parser listens. Added before the parser's
  // listener, because the parser's events are checked against the bytes that were read.
  outgoing.on('socket', () => socket.prependListener('data', onBytes));
  outgoing.on('information', () => {
    heads += 1;
  });
  // With an upgrade listener, the HTTP request does not close the socket, so this code closes it.
  outgoing.on('upgrade', ({ statusCode = null }) =>
    fail(new Failure('response_malformed', `${endpoint.host} tried to switch protocols`, statusCode)),
  );
  outgoing.on('error', (error) => {
    const failure = exchangeFailure(error, endpoint.host);
    breakOff(() => failure, { code: failure.code, message: 'The response body broke off or was malformed' });
  });
  // Every request ends with this event, often before its complete response is read.
  outgoing.on('close', () => breakOff(() => exchangeFailure(undefined, endpoint.host), BROKEN_OFF));
  outgoing.on('response', (incoming) => {
    const headBytes = wire.headBytes(heads);
    const problem = headProblem(incoming, headBytes, endpoint.host);
    if (headBytes === undefined || problem !== undefined) return fail(problem);
    // In the turn of this event, because the next event may already be about the body.
    reader = readBody(incoming, keepBytes(request), keepAlive ? UNKEPT_MAX_BYTES : 0);
    receive({ incoming, headBytes, body: reader.body });
  });

  let connectionReusable = false;
  signal.addEventListener('abort', onAbort);
  try {
    if (signal.aborted) onAbort();
    else if (request.method === 'GET' || request.body === null) outgoing.end();
    else outgoing.end(request.body);
    const { incoming, headBytes, body } = await head;
    const { bytes, readBytes, ended, problem } = await body;
    // A quick response can arrive before the event that the request is written.
    if (ended && keepAlive && !outgoing.writableFinished) await nextTurn();
    connectionReusable =
      ended &&
      outgoing.writableFinished &&
      !socket.destroyed &&
      wire.endsWith(headBytes, readBytes, incoming) &&
      keptAlive(incoming, keepAlive);
    return { status: incoming.statusCode ?? 0, body: bytes, problem, connectionReusable };
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.removeListener('data', onBytes);
    if (!connectionReusable) socket.destroy();
  }
}

type Head = {
  readonly incoming: IncomingMessage;
  readonly headBytes: number;
  readonly body: Promise<ResponseBody>;
};

const keepBytes = (request: OutboundRequest) =>
  Math.min(request.keepBytes ?? RESPONSE_READ_MAX_BYTES, RESPONSE_READ_MAX_BYTES);

/** Returns what is wrong with a response although the parser accepts it. @param headBytes undefined when a head is not HTTP/1 */
function headProblem({ statusCode = 0 }: IncomingMessage, headBytes: number | undefined, host: string) {
  if (statusCode < 200 || statusCode > 599) {
    const what = `${host} responded with status ${statusCode}, which is not valid in HTTP`;
    return new Failure('response_malformed', what, statusCode);
  }
  if (headBytes === undefined) return new Failure('response_malformed', `${host} did not respond in HTTP/1.1`);
  return undefined;
}

function requestHeaders(endpoint: Endpoint, request: OutboundRequest, keepAlive: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    Host: endpoint.authority,
    Connection: keepAlive ? 'keep-alive' : 'close',
    'Accept-Encoding': 'identity',
    ...request.headers,
  };
  if (request.method !== 'GET') headers['Content-Length'] = String(request.body?.length ?? 0);
  return headers;
}

/** Returns whether the peer keeps the connection open: HTTP/1.1, no `close`, and no timeout below two seconds. */
function keptAlive(incoming: IncomingMessage, asked: boolean): boolean {
  if (!asked || incoming.httpVersion !== '1.1') return false;
  if (/(?:^|,)\s*close\s*(?:,|$)/i.test(incoming.headers.connection ?? '')) return false;
  const timeout = /(?:^|[,\s])timeout=(\d+)/i.exec(incoming.headers['keep-alive']?.toString() ?? '');
  return timeout === null || Number(timeout[1]) >= 2;
}

/** The body of a response, or the part of it that was read. */
type ResponseBody = {
  readonly bytes: Uint8Array;
  /** Bytes that were read, of which only the first may be kept. */
  readonly readBytes: number;
  /** True when the body was read to its end. */
  readonly ended: boolean;
  readonly problem: EndpointResponse['problem'];
};

type BodyReader = {
  /** Settles when the body ends, is cut, or is broken off. Never rejects. */
  readonly body: Promise<ResponseBody>;
  /** Ends the body where it is. Does nothing when it has ended. */
  readonly breakOff: (problem: DeliveryError) => void;
};

/**
 * Starts to read the body of a response.
 * @param keepBytes bytes that the caller needs
 * @param unkeptBytes bytes that are read after those
 */
function readBody(incoming: IncomingMessage, keepBytes: number, unkeptBytes: number): BodyReader {
  const { promise, resolve } = Promise.withResolvers<ResponseBody>();
  const kept = keepBytesOf(keepBytes);
  let readBytes = 0;
  let pieces = 0;
  const end = (problem: ResponseBody['problem'], ended = false) =>
    resolve({ bytes: kept.bytes(), readBytes, ended, problem });

  incoming.on('data', (chunk: Buffer) => {
    readBytes += chunk.length;
    pieces += 1;
    kept.add(chunk);
    if (readBytes > Math.min(RESPONSE_READ_MAX_BYTES, keepBytes + unkeptBytes)) end(null);
    else if (pieces >= PIECES_MAX) end(readBytes > keepBytes ? null : PIECES);
  });
  incoming.on('error', () => end(BROKEN_OFF));
  incoming.on('end', () => {
    if (incoming.complete) end(null, true);
    else end(BROKEN_OFF);
  });
  return {
    body: promise,
    breakOff: (problem) => {
      // The last bytes of a complete response are still to be read.
      if (incoming.complete) return;
      // Bytes that are parsed are still buffered. Reading passes them to the listener above.
      while (incoming.read() !== null);
      end(problem);
    },
  };
}

/**
 * Keeps the first bytes of a stream in one growing block. A separate buffer for each piece would need a hundred times the memory of a
 * piece of one byte.
 *
 * @param limit bytes to keep
 */
function keepBytesOf(limit: number) {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    add: (piece: Uint8Array): void => {
      const part = piece.subarray(0, limit - length);
      if (length + part.length > block.length) {
        const grown = Buffer.alloc(
          Math.min(limit, Math.max(FIRST_BLOCK_BYTES, 2 * block.length, length + part.length)),
        );
        block.copy(grown, 0, 0, length);
        block = grown;
      }
      block.set(part, length);
      length += part.length;
    },
    bytes: (): Uint8Array => block.subarray(0, length),
  };
}

/**
 * Creates an observer of the received bytes. It supplements the parser, which reports neither the name of the protocol nor bytes after
 * the response.
 */
function readWire() {
  let heads: string | undefined = '';
  let tail = '';
  let received = 0;
  return {
    /** Reads a piece. Must be called with every piece before the parser reads it. */
    read: (piece: Buffer): void => {
      received += piece.length;
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - TAIL_BYTES))).slice(-TAIL_BYTES);
      if (heads !== undefined) heads += piece.toString('latin1');
    },

    /** Returns the bytes that were received so far. */
    received: (): number => received,

    /** Returns the bytes of this number of heads, including interim ones; undefined when one is not HTTP/1. Call it once. */
    headBytes: (count: number): number | undefined => {
      HEAD.lastIndex = 0;
      const text = heads ?? '';
      heads = undefined;
      for (let head = 0; head < count; head++) if (!HEAD.test(text)) return undefined;
      return HEAD.lastIndex;
    },

    /**
     * Returns whether no byte follows a complete response. The parser does not report further bytes. They are found by counting bytes or,
     * for a response in chunks, by a wrong end.
     */
    endsWith: (headBytes: number, bodyBytes: number, { headers }: IncomingMessage): boolean =>
      headers['transfer-encoding'] === undefined ? received === headBytes + bodyBytes : tail === '\r\n\r\n',
  };
}
