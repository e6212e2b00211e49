import { request as httpRequest, type IncomingMessage } from 'node:http';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import type { OutboundRequest } from '../../domain/delivery/outbound.ts';
import type { Attempt } from './attempt.ts';
import type { Connection } from './connect.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeFailure, Failure } from './failure.ts';
import { keepBytesOf } from './kept-bytes.ts';
import { readWire } from './wire.ts';

/** Of one header block; llhttp counts names, values, reason phrase. */
const HEADER_BLOCK_MAX_BYTES = 16 * 1024;
/** Everything before the body, interim (1xx) answers included. */
const BEFORE_BODY_MAX_BYTES = 64 * 1024;
/** The whole answer on the wire: room for 1 MB in chunks of a single byte (6 bytes each), not for endless chunk extensions. */
const WIRE_MAX_BYTES = 8 * 1024 * 1024;

/** An answer whose status arrived; from then on the status decides, and what is wrong with the body is a note. */
export type Answer = {
  readonly status: number;
  readonly body: Uint8Array;
  readonly bodyComplete: boolean;
  readonly note: string | null;
  /** The peer means to keep the connection, and nothing of this exchange is left on it. */
  readonly connectionReusable: boolean;
};

/**
 * Writes one request and reads its answer; never writes a second one. A connection that is not reusable afterwards is destroyed.
 *
 * Node's HTTP client on a socket of our own, and not undici, which ends an attempt at an unasked `100 Continue` after the receiver has
 * acted (docs/decisions/0005).
 *
 * @throws {Failure} `connection_closed`, `response_malformed` or the attempt's timeout, all before a final status was known
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
      // Explicit, because --insecure-http-parser changes the default.
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
    /** What breaks before the status is a failure; what breaks later leaves the status standing. */
    const breakOff = (failure: Failure, note: string) => {
      if (answer?.statusCode === undefined) fail(failure);
      // A complete answer only waits for its last bytes to be handed over.
      else if (!answer.complete) {
        // What was parsed together with the fault is still in its buffer; reading hands it to the listener below.
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
    // Not earlier: a listener of ours would set the socket flowing before the parser listens. Ahead of the parser, whose events
    // are judged by what has been read.
    outgoing.on('socket', () => socket.prependListener('data', onBytes));
    outgoing.on('information', () => {
      interim += 1;
    });
    // An HTTP request that has an upgrade listener leaves the socket alone, which is then ours to end.
    outgoing.on('upgrade', ({ statusCode = null }) =>
      fail(new Failure('response_malformed', `${endpoint.host} tried to switch protocols`, statusCode)),
    );
    outgoing.on('error', (error) =>
      breakOff(exchangeFailure(error, endpoint.host), 'The response body broke off or was malformed'),
    );
    outgoing.on('close', () => {
      // Every request ends with this, often before its complete answer is handed over. An error that nobody gets costs its stack trace all the same.
      if (!over && answer?.complete !== true)
        breakOff(exchangeFailure(undefined, endpoint.host), 'The response body broke off');
    });

    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      if (status < 200 || status > 599) {
        fail(
          new Failure(
            'response_malformed',
            `${endpoint.host} answered with status ${status}, which HTTP does not have`,
            status,
          ),
        );
        return;
      }
      const headBytes = wire.headBytes(interim + 1);
      if (headBytes === undefined) {
        fail(new Failure('response_malformed', `${endpoint.host} did not answer in HTTP/1.1`));
        return;
      }
      answer = incoming;
      incoming.on('data', (chunk: Buffer) => {
        bodyBytes += chunk.length;
        kept.add(chunk);
        if (bodyBytes > RESPONSE_READ_MAX_BYTES) end(status, true, 'Only the first 1 MB of the response body was read');
        // The rest is worth reading only for the sake of the connection.
        else if (bodyBytes > keepBytes && !keepAlive) end(status, true, null);
      });
      incoming.on('error', () => end(status, false, 'The response body broke off'));
      incoming.on('end', () => {
        if (!incoming.complete) return end(status, false, 'The response body broke off');
        const whole = () => {
          const clean = outgoing.writableFinished && !socket.destroyed && wire.endsWith(headBytes, bodyBytes, incoming);
          end(status, true, null, clean && keptAlive(incoming, keepAlive));
        };
        // A quick answer arrives before the news that the request is written.
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

/** The peer's word that it will keep the connection: HTTP/1.1, no `close`, and no time so short that it may be up already. */
function keptAlive(incoming: IncomingMessage, asked: boolean): boolean {
  if (!asked || incoming.httpVersion !== '1.1') return false;
  if (/(?:^|,)\s*close\s*(?:,|$)/i.test(incoming.headers.connection ?? '')) return false;
  const timeout = /(?:^|[,\s])timeout=(\d+)/i.exec(incoming.headers['keep-alive']?.toString() ?? '');
  return timeout === null || Number(timeout[1]) >= 2;
}
