import { request as httpRequest, type IncomingMessage } from 'node:http';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import type { OutboundRequest } from '../../domain/delivery/outbound.ts';
import type { Attempt } from './attempt.ts';
import type { Connection } from './connect.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeFailure, Failure } from './failure.ts';
import { keepBytesOf } from './kept-bytes.ts';
import { readWire } from './wire.ts';

/** Limit of one header block. llhttp counts names, values and the reason phrase. */
const HEADER_BLOCK_MAX_BYTES = 16 * 1024;
/** Limit of all bytes before the body, including interim (1xx) responses. */
const BEFORE_BODY_MAX_BYTES = 64 * 1024;
/** Limit of the whole response as received: its body, and as much of headers, chunk sizes and trailers as a server has a reason to send. */
const WIRE_MAX_BYTES = RESPONSE_READ_MAX_BYTES + 256 * 1024;
/** Limit of pieces of the body. The parser calls back for each chunk, and a chunk of one byte costs as much as one of 16 KB. */
const PIECES_MAX = 10_000;
/** Bytes of the body that are read after those that are kept, only to reuse the connection. */
const UNKEPT_MAX_BYTES = 64 * 1024;

/** A response whose status was received. Only the status decides the outcome; a problem with the body is a note. */
export type Answer = {
  readonly status: number;
  readonly body: Uint8Array;
  readonly bodyComplete: boolean;
  readonly note: string | null;
  /** True when the peer keeps the connection open and no byte of this exchange is left on it. */
  readonly connectionReusable: boolean;
};

/**
 * Writes one request and reads its response. Never writes a second request. Destroys the connection when it cannot be reused.
 *
 * It uses Node's HTTP client on its own socket instead of undici, because undici fails at an unexpected `100 Continue` after the receiver
 * has handled the request (docs/decisions/0005).
 *
 * @throws {Failure} `connection_closed`, `response_malformed` or the attempt's timeout, all before a final status was received
 */
export function exchange(
  connection: Connection,
  endpoint: Endpoint,
  request: OutboundRequest,
  keepAlive: boolean,
  attempt: Attempt,
): Promise<Answer> {
  const { socket } = connection;
  const { signal } = attempt;
  const keepBytes = Math.min(request.keepBytes ?? RESPONSE_READ_MAX_BYTES, RESPONSE_READ_MAX_BYTES);
  attempt.stage = 'waiting';

  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    let over = false;
    let received = 0;
    let bodyBytes = 0;
    let pieces = 0;
    let interim = 0;
    const wire = readWire();
    const kept = keepBytesOf(keepBytes);

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

    const leave = (reusable: boolean) => {
      over = true;
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('data', onBytes);
      if (!reusable) socket.destroy();
    };
    const fail = (failure: Failure) => {
      if (over) return;
      leave(false);
      reject(failure);
    };
    const end = (status: number, bodyComplete: boolean, note: string | null, connectionReusable = false) => {
      if (over) return;
      leave(connectionReusable);
      resolve({ status, body: kept.bytes(), bodyComplete, note, connectionReusable });
    };
    /** Ends the exchange after an error: with a failure before the status is received, with the status and a note afterwards. */
    const breakOff = (failure: Failure, note: string) => {
      if (answer?.statusCode === undefined) fail(failure);
      // A complete response needs no action: its last bytes are still to be read.
      else if (!answer.complete) {
        // Bytes that were parsed before the error are still buffered. Reading passes them to the listener below.
        while (answer.read() !== null);
        end(answer.statusCode, false, note);
      }
    };

    const onAbort = () => breakOff(signal.reason, 'The response body did not end in time');
    const onBytes = (chunk: Buffer) => {
      received += chunk.length;
      wire.read(chunk);
      if (answer === undefined ? received > BEFORE_BODY_MAX_BYTES : received > WIRE_MAX_BYTES) {
        const failure = new Failure('response_malformed', `${endpoint.host} sent too much before its response`);
        breakOff(failure, 'The response body was wrapped in too many bytes');
      }
    };
    signal.addEventListener('abort', onAbort);
    // Added on this event, because an earlier listener would start the socket before the parser listens. Added before the parser's
    // listener, because the parser's events are checked against the bytes that were read.
    outgoing.on('socket', () => socket.prependListener('data', onBytes));
    outgoing.on('information', () => {
      interim += 1;
    });
    // With an upgrade listener, the HTTP request does not close the socket, so this code closes it.
    outgoing.on('upgrade', ({ statusCode = null }) =>
      fail(new Failure('response_malformed', `${endpoint.host} tried to switch protocols`, statusCode)),
    );
    outgoing.on('error', (error) =>
      breakOff(exchangeFailure(error, endpoint.host), 'The response body broke off or was malformed'),
    );
    outgoing.on('close', () => {
      // Every request ends with this event, often before its complete response is read. The check avoids creating an error, and its stack
      // trace, that would not be used.
      if (!over && answer?.complete !== true)
        breakOff(exchangeFailure(undefined, endpoint.host), 'The response body broke off');
    });

    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      if (status < 200 || status > 599) {
        fail(
          new Failure(
            'response_malformed',
            `${endpoint.host} responded with status ${status}, which is not valid in HTTP`,
            status,
          ),
        );
        return;
      }
      const headBytes = wire.headBytes(interim + 1);
      if (headBytes === undefined) {
        fail(new Failure('response_malformed', `${endpoint.host} did not respond in HTTP/1.1`));
        return;
      }
      answer = incoming;
      incoming.on('data', (chunk: Buffer) => {
        // The parser goes on until the end of the bytes that it has.
        if (over) return;
        bodyBytes += chunk.length;
        pieces += 1;
        kept.add(chunk);
        if (bodyBytes > RESPONSE_READ_MAX_BYTES) end(status, true, 'Only the first 1 MB of the response body was read');
        else if (bodyBytes > keepBytes + (keepAlive ? UNKEPT_MAX_BYTES : 0)) end(status, true, null);
        else if (pieces >= PIECES_MAX) end(status, bodyBytes > keepBytes, 'The response body came in too many pieces');
      });
      incoming.on('error', () => end(status, false, 'The response body broke off'));
      incoming.on('end', () => {
        if (!incoming.complete) return end(status, false, 'The response body broke off');
        const whole = () => {
          const clean = outgoing.writableFinished && !socket.destroyed && wire.endsWith(headBytes, bodyBytes, incoming);
          end(status, true, null, clean && keptAlive(incoming, keepAlive));
        };
        // A quick response can arrive before the event that the request is written.
        if (outgoing.writableFinished || !keepAlive) whole();
        else setImmediate(whole);
      });
    });

    if (signal.aborted) onAbort();
    else if (request.method === 'GET' || request.body === null) outgoing.end();
    else outgoing.end(request.body);
  });
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
