import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RESPONSE_READ_MAX_BYTES } from '../../contract/limits.ts';
import type { OutboundRequest } from '../../domain/delivery/outbound.ts';
import type { Attempt } from './attempt.ts';
import type { Connection } from './connect.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeFailure, Failure } from './failure.ts';
import { type BodyReader, type ResponseBody, readBody } from './response-body.ts';
import { readWire } from './wire.ts';

/** Limit of one header block. llhttp counts names, values and the reason phrase. */
const HEADER_BLOCK_MAX_BYTES = 16 * 1024;
/** Limit of all bytes before the body, including interim (1xx) responses. */
const BEFORE_BODY_MAX_BYTES = 64 * 1024;
/** Limit of the whole response as received: its body, and as much of headers, chunk sizes and trailers as a server has a reason to send. */
const WIRE_MAX_BYTES = RESPONSE_READ_MAX_BYTES + 256 * 1024;
/** Bytes of the body that are read after those that are kept, only to reuse the connection. */
const UNKEPT_MAX_BYTES = 64 * 1024;

/** What an endpoint responded. Only the status decides the outcome; a problem with the body is a note. */
export type EndpointResponse = {
  readonly status: number;
  readonly body: Uint8Array;
  readonly bodyComplete: boolean;
  readonly note: string | null;
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
  /** Ends the exchange early: with a failure before the head is received, with the status and a note afterwards. */
  const breakOff = (failure: () => unknown, note: string) => {
    if (reader === undefined) fail(failure());
    else reader.breakOff(note);
  };
  const onAbort = () => breakOff(() => signal.reason, 'The response body did not end in time');
  const onBytes = (chunk: Buffer) => {
    wire.read(chunk);
    if (wire.received() <= (reader === undefined ? BEFORE_BODY_MAX_BYTES : WIRE_MAX_BYTES)) return;
    const failure = () => new Failure('response_malformed', `${endpoint.host} sent too much before its response`);
    breakOff(failure, 'The response body was wrapped in too many bytes');
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
  outgoing.on('error', (error) =>
    breakOff(() => exchangeFailure(error, endpoint.host), 'The response body broke off or was malformed'),
  );
  // Every request ends with this event, often before its complete response is read.
  outgoing.on('close', () => breakOff(() => exchangeFailure(undefined, endpoint.host), 'The response body broke off'));
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
    const { bytes, readBytes, ended, complete, note } = await body;
    // A quick response can arrive before the event that the request is written.
    if (ended && keepAlive && !outgoing.writableFinished) await nextTurn();
    connectionReusable =
      ended &&
      outgoing.writableFinished &&
      !socket.destroyed &&
      wire.endsWith(headBytes, readBytes, incoming) &&
      keptAlive(incoming, keepAlive);
    return { status: incoming.statusCode ?? 0, body: bytes, bodyComplete: complete, note, connectionReusable };
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
