import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { DeliveryError } from '../../contract/delivery-record.ts';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import type { EndpointAnswer, OutboundRequest } from '../../domain/context.ts';
import { responseAnswer } from '../../domain/delivery/outcome.ts';
import { Failure, type OutboundAttempt } from './attempt.ts';
import type { Connection } from './connect.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeFailure } from './peer-failure.ts';
import { LINE_MAX_BYTES, readResponseHead } from './response-head.ts';

/** Limit of the whole response as received: its body, and as much of headers, chunk sizes and trailers as a server has a reason to send. */
const WIRE_MAX_BYTES = RESPONSE_READ_MAX_BYTES + 256 * 1024;
/** Bytes of the body that are read after those that are kept, only to reuse the connection. */
const UNKEPT_MAX_BYTES = 64 * 1024;
/** Limit of pieces of the body. The parser calls back for each chunk, and a chunk of one byte costs as much as one of 16 KB. */
const PIECES_MAX = 10_000;
const FIRST_BLOCK_BYTES = 4096;
const END = '\r\n\r\n';

/** What is wrong with the rest of a response whose status was received. */
const LATE = { code: 'timeout', message: 'The response did not end in time' } as const;
const BROKEN_OFF = { code: 'connection_closed', message: 'The response broke off' } as const;
const TOO_MANY_BYTES = { code: 'response_malformed', message: 'The response was wrapped in too many bytes' } as const;
const MALFORMED_HEAD = 'The head of the response was malformed, and its body was not read';
const BODY_NOT_READ = { code: 'response_malformed', message: MALFORMED_HEAD } as const;
const TOO_MANY_PIECES = { code: 'response_malformed', message: 'The response came in too many pieces' } as const;

/** `keepBytes`: how much of the body is kept; 1 MB by default. `isKeptAlive`: whether the peer is asked to keep the connection open. */
type Reading = { readonly keepBytes: number | undefined; readonly isKeptAlive: boolean };

type Exchanged = {
  readonly answer: EndpointAnswer;
  /** Whether the peer keeps the connection open and no byte of this exchange is left on it. */
  readonly isReusable: boolean;
};

/**
 * Writes one request and reads its response. Never writes a second request. Destroys the connection when it cannot be reused. Uses Node's
 * HTTP client on its own socket (docs/decisions/0005). When its strict parser refuses a head, or the head does not end, the status in the
 * bytes decides, and the body is read only where its end is certain.
 *
 * @throws {Failure} `connection_closed`, `response_malformed` or the attempt's timeout, all before a final status was received
 */
export async function exchange(
  { socket, certificateAsked }: Connection,
  endpoint: Endpoint,
  request: OutboundRequest,
  { keepBytes = RESPONSE_READ_MAX_BYTES, isKeptAlive: keepAlive }: Reading,
  attempt: OutboundAttempt,
): Promise<Exchanged> {
  attempt.phase = 'waiting';
  const { signal } = attempt;
  const { promise: receivedStatus, resolve: receiveStatus, reject: fail } = Promise.withResolvers<number>();
  const head = readResponseHead();
  const body = readBody(Math.min(keepBytes, RESPONSE_READ_MAX_BYTES), keepAlive ? UNKEPT_MAX_BYTES : 0);
  const wire = readWire();
  let parsedResponse: IncomingMessage | undefined;
  /** Why the parser refused the response. From then on the bytes of the socket are read without it. */
  let refusal: Failure | undefined;

  const parserSide = parserSideOf(socket);
  const clientRequest = httpRequest({
    createConnection: () => parserSide,
    method: request.method,
    path: endpoint.target,
    headers: requestHeaders(endpoint, request, keepAlive),
    setDefaultHeaders: false,
    maxHeaderSize: LINE_MAX_BYTES,
    // Set explicitly, because --insecure-http-parser changes the default.
    insecureHTTPParser: false,
  });
  /** Ends the exchange early: with its failure, or, where the status was received, with the status and what is wrong with the rest. */
  const breakOff = (end: { readonly failure: unknown; readonly problem: DeliveryError }) => {
    const status = parsedResponse?.statusCode ?? head.status();
    if (status === undefined) return fail(refusal ?? end.failure);
    receiveStatus(status);
    body.breakOff(end.problem);
  };
  const readRefused = (piece: Buffer) => {
    if (head.hopeless()) return fail(refusal);
    const status = head.status();
    if (status === undefined) return;
    receiveStatus(status);
    if (head.bytes() === undefined) return;
    const length = head.bodyBytes();
    if (length === undefined) return body.end(BODY_NOT_READ);
    // The first time this is what was received after the head, and then each piece.
    body.add((head.takeRest() ?? piece).subarray(0, length - body.readBytes()));
    if (body.readBytes() >= length) body.end(null);
  };
  const failureOf = (error: unknown) =>
    exchangeFailure(error, endpoint.host, certificateAsked && wire.received() === 0);
  const onAbort = () => breakOff({ failure: signal.reason, problem: LATE });
  const onData = (piece: Buffer) => {
    attempt.endIfLate();
    if (signal.aborted) return;
    wire.read(piece);
    head.read(piece);
    if (head.tooLong() || wire.received() > WIRE_MAX_BYTES) {
      const failure = new Failure('response_malformed', `${endpoint.host} sent too much before its response`);
      return breakOff({ failure, problem: TOO_MANY_BYTES });
    }
    if (refusal !== undefined) return readRefused(piece);
    if (!parserSide.push(piece)) socket.pause();
  };
  const onEnd = () => {
    if (refusal === undefined) parserSide.push(null);
    else if (head.bodyBytes() === Number.POSITIVE_INFINITY) body.end(null);
  };
  const onError = (error: unknown) => parserSide.destroy(error instanceof Error ? error : undefined);
  const onClose = () => {
    if (refusal === undefined) parserSide.destroy();
    else breakOff({ failure: refusal, problem: BROKEN_OFF });
  };
  socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);

  // With an upgrade listener, the HTTP request does not close the socket, so this code closes it.
  clientRequest.on('upgrade', ({ statusCode = null }) =>
    fail(new Failure('response_malformed', `${endpoint.host} tried to switch protocols`, statusCode)),
  );
  clientRequest.on('error', (error) => {
    const failure = failureOf(error);
    if (parsedResponse !== undefined || failure.code !== 'response_malformed') {
      const problem = { code: failure.code, message: 'The response broke off or was malformed' };
      return breakOff({ failure, problem });
    }
    refusal = failure;
    // What was received so far may already have the status, or the whole response.
    readRefused(NOTHING);
    socket.resume();
  });
  // Every request ends with this event, often before its complete response is read.
  clientRequest.on('close', () => {
    if (refusal !== undefined) return;
    // Most requests have their response now, and a failure takes time to build, because it has a stack.
    if (parsedResponse !== undefined) body.breakOff(BROKEN_OFF);
    else breakOff({ failure: failureOf(undefined), problem: BROKEN_OFF });
  });
  clientRequest.on('response', (response) => {
    const problem = headProblem(response, head.bytes(), endpoint.host);
    if (problem !== undefined) return fail(problem);
    head.takeRest();
    parsedResponse = response;
    // In the turn of this event, because the next event may already be about the body.
    body.readFrom(response);
    receiveStatus(response.statusCode ?? 0);
  });

  let isReusable = false;
  signal.addEventListener('abort', onAbort);
  try {
    attempt.endIfLate();
    if (signal.aborted) onAbort();
    else if (request.method === 'GET' || request.body === null) clientRequest.end();
    else clientRequest.end(request.body);
    const status = await receivedStatus;
    const { bytes, isWhole, problem } = await body.result;
    // A quick response can arrive before the event that the request is written.
    if (isWhole && keepAlive && !clientRequest.writableFinished) await nextTurn();
    isReusable =
      isWhole &&
      parsedResponse !== undefined &&
      clientRequest.writableFinished &&
      !socket.destroyed &&
      wire.endsWith(head.bytes(), body.readBytes(), parsedResponse) &&
      isKeptAlive(parsedResponse, keepAlive);
    const { 'content-type': contentType, location } = parsedResponse?.headers ?? {};
    return { answer: responseAnswer({ status, body: bytes, contentType, problem, location }, request), isReusable };
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    parserSide.destroy();
    if (!isReusable) socket.destroy();
  }
}

const NOTHING = Buffer.alloc(0);

/** The connection of Node's HTTP client, which destroys it when its parser refuses what the socket still delivers. */
function parserSideOf(socket: TLSSocket): Duplex {
  return new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    writev: (chunks, done) => void socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
  });
}

/** Returns what is wrong with a response although the parser accepts it. @param headBytes undefined when the head is not that of HTTP/1 */
function headProblem({ statusCode = 0 }: IncomingMessage, headBytes: number | undefined, host: string) {
  const invalidStatus = `${host} responded with status ${statusCode}, which is not valid in HTTP`;
  if (statusCode < 200 || statusCode > 599) return new Failure('response_malformed', invalidStatus, statusCode);
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

/** Returns whether the peer keeps the connection open: HTTP/1.1, no `close`, and no timeout below two seconds, twice the time it may be idle. */
function isKeptAlive(response: IncomingMessage, isKeepAliveAsked: boolean): boolean {
  if (!isKeepAliveAsked || response.httpVersion !== '1.1') return false;
  if (/(?:^|,)\s*close\s*(?:,|$)/i.test(response.headers.connection ?? '')) return false;
  const timeout = /(?:^|[,\s])timeout=(\d+)/i.exec(response.headers['keep-alive']?.toString() ?? '');
  return timeout === null || Number(timeout[1]) >= 2;
}

type ResponseBody = { readonly bytes: Uint8Array; readonly isWhole: boolean; readonly problem: DeliveryError | null };

/** Creates a reader of the body of one response. @param unkeptBytes bytes that are read after those that the caller needs */
function readBody(keepBytes: number, unkeptBytes: number) {
  const { promise, resolve } = Promise.withResolvers<ResponseBody>();
  const keptBytes = keepBytesOf(keepBytes);
  let readBytes = 0;
  let pieces = 0;
  let source: IncomingMessage | undefined;
  const end = (problem: ResponseBody['problem'], { isWhole } = { isWhole: false }) =>
    resolve({ bytes: keptBytes.bytes(), isWhole, problem });
  const add = (chunk: Buffer): void => {
    readBytes += chunk.length;
    pieces += 1;
    keptBytes.add(chunk);
    if (readBytes > Math.min(RESPONSE_READ_MAX_BYTES, keepBytes + unkeptBytes)) end(null);
    else if (pieces >= PIECES_MAX) end(readBytes > keepBytes ? null : TOO_MANY_PIECES);
  };
  return {
    /** Settles when the body ends, is cut, or is broken off. Never rejects. */
    result: promise,
    /** Returns how many bytes were read, of which only the first may be kept. */
    readBytes: (): number => readBytes,
    add,
    end,
    readFrom: (response: IncomingMessage): void => {
      source = response;
      response.on('data', add);
      response.on('error', () => end(BROKEN_OFF));
      response.on('end', () => (response.complete ? end(null, { isWhole: true }) : end(BROKEN_OFF)));
    },
    /** Ends the body where it is, unless the parser has read its end. */
    breakOff: (problem: DeliveryError): void => {
      // The last bytes of a complete response are still to be read.
      if (source?.complete === true) return;
      // Bytes that are parsed are still buffered. Reading passes them to the listener above.
      while (source !== undefined && source.read() !== null);
      end(problem);
    },
  };
}

/** Keeps the first bytes of a stream in one growing block: a buffer for each piece needs a hundred times the memory of a piece of one byte. */
function keepBytesOf(limit: number) {
  let block = Buffer.alloc(0);
  let length = 0;
  return {
    add: (piece: Uint8Array): void => {
      const part = piece.subarray(0, limit - length);
      if (length + part.length > block.length) {
        const blockBytes = Math.max(FIRST_BLOCK_BYTES, 2 * block.length, length + part.length);
        const grown = Buffer.alloc(Math.min(limit, blockBytes));
        block.copy(grown, 0, 0, length);
        block = grown;
      }
      block.set(part, length);
      length += part.length;
    },
    bytes: (): Uint8Array => block.subarray(0, length),
  };
}

/** Creates an observer of the received bytes, because the parser does not report bytes after the response. */
function readWire() {
  let tail = '';
  let receivedBytes = 0;
  return {
    /** Reads a piece. Must be called with every piece before the parser reads it. */
    read: (piece: Buffer): void => {
      receivedBytes += piece.length;
      tail = (tail + piece.toString('latin1', Math.max(0, piece.length - END.length))).slice(-END.length);
    },
    received: (): number => receivedBytes,
    /**
     * Returns whether no byte follows a complete response. The parser does not report further bytes. They are found by counting bytes or,
     * for a response in chunks, by a wrong end. Chunks may still follow a 204 or a 304 that announces them, although it has no body.
     */
    endsWith: (headBytes: number | undefined, bodyBytes: number, { headers, statusCode }: IncomingMessage): boolean =>
      headers['transfer-encoding'] === undefined
        ? receivedBytes === (headBytes ?? 0) + bodyBytes
        : tail === END && statusCode !== 204 && statusCode !== 304,
  };
}
