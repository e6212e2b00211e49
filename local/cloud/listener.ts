import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { CloudError, codeOf, messageOf } from './cloud-error.ts';

export type ListenerRequest = {
  readonly method: string;
  /** With the query string, as it was sent. */
  readonly path: string;
  /** Names in lower case. The values of headers with the same name are separated by commas, those of cookies by semicolons. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly client: { readonly address: string; readonly port: number };
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
};

export class PortInUse extends CloudError {
  constructor(port: number) {
    super(`Port ${port} is in use. Stop the program that uses it, or choose another port with --port (0 = any)`);
  }
}

/** @param port 0 = any that is free @returns the port @throws PortInUse */
export async function listenOnLoopback(server: NetServer, port: number, address = '127.0.0.1'): Promise<number> {
  await once(server.listen(port, address), 'listening').catch((error: unknown) => {
    throw codeOf(error) === 'EADDRINUSE' ? new PortInUse(port) : error;
  });
  // A process without a free file descriptor (EMFILE) accepts no connection until it has one. Node would end it for an error without a listener.
  server.on('error', (error) => console.error(`A connection was not accepted: ${messageOf(error)}`));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new CloudError('The listener has no port');
  return bound.port;
}

/** Listens on the preferred port, or on any if another process uses that one. @returns the port */
export async function listenNear(server: NetServer, preferredPort: number): Promise<number> {
  try {
    return await listenOnLoopback(server, preferredPort);
  } catch (error) {
    if (!(error instanceof PortInUse)) throw error;
    return listenOnLoopback(server, 0);
  }
}

/**
 * Returns a port on which nothing listens, for a program that is told its port. By default, systems do not give these ports to whoever asks for
 * any, so that it is still free when the program has started.
 */
export async function freePort(address?: string): Promise<number> {
  const server = createServer();
  try {
    return await listenOnLoopback(server, randomInt(11_000, 32_768), address);
  } catch (error) {
    if (error instanceof PortInUse) return freePort(address);
    throw error;
  } finally {
    server.close();
  }
}

/** Larger than the 10 kB of an HTTP API, which has an answer of its own for them. */
const MAX_HEADER_BYTES = 64 * 1024;
/** The largest request of any service: the distribution accepts 20 MB, DynamoDB 16, Lambda 6. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

export type Listener = Awaited<ReturnType<typeof openListener>>;

/**
 * Opens a loopback listener whose address is known before it can answer, because the template's values contain addresses.
 * @param port 0 = any that is free
 * @param listen `listenOnLoopback` takes no other port, and `listenNear` another one when that one is in use
 * @param hostNames by which clients may name this machine, besides the names of loopback
 * @throws PortInUse
 */
export async function openListener(port: number, listen: typeof listenNear, hostNames: readonly string[] = []) {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  // An AWS SDK keeps its idle connections until the server closes them. A request that is sent at that moment fails, and Node's 5 s are
  // a usual pause.
  server.keepAliveTimeout = 60_000;
  const address = `127.0.0.1:${await listen(server, port)}`;
  const handle = (listener: RequestListener): void => {
    server.on('request', (request, response) => {
      // A client may go away at any moment; that is no fault of ours.
      request.on('error', () => {});
      response.on('error', () => {});
      const { host } = request.headers;
      if (host === undefined || isThisMachine(host, hostNames)) listener(request, response);
      else send(response, jsonMessage(421, `This machine is not ${host}: start it with --host-name`), request.method);
    });
  };
  return {
    /** `127.0.0.1:<port>` */
    address,
    handle,
    /** Begins to answer. What `answer` throws becomes a 500 and is reported. */
    serve(answer: (request: ListenerRequest) => Promise<HttpAnswer>, onFault: (error: unknown) => void): void {
      handle(async (request, response) => {
        try {
          const body = await readBody(request, MAX_BODY_BYTES);
          const result = body === undefined ? TOO_LARGE : await answer(receivedRequest(request, body));
          send(response, result, request.method);
        } catch (error) {
          if (request.destroyed && !request.complete) return;
          onFault(error);
          send(response, jsonMessage(500, 'Internal Server Error'), request.method);
        }
      });
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Whether a Host header names this machine. A website can give its own name the address of loopback; its pages would then read what is
 * answered here, also with the visitor's logins.
 * @param hostNames more names of this machine than those of loopback
 */
export function isThisMachine(host: string, hostNames: readonly string[] = []): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') ?? '';
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(name) || hostNames.includes(name);
}

/** An answer in the form in which API Gateway answers itself. */
export const jsonMessage = (status: number, message: string, headers = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ message }),
});

const TOO_LARGE = jsonMessage(413, 'Request Entity Too Large');

function receivedRequest(request: IncomingMessage, body: Buffer): ListenerRequest {
  const { method = 'GET', url = '/', headersDistinct, socket } = request;
  const headers = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.join(name === 'cookie' ? '; ' : ','),
  ]);
  const client = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
  return { method, path: url, headers: Object.fromEntries(headers), body, client };
}

/** The whole body. Undefined when it is longer than the limit; the rest is read and dropped, so that an answer arrives. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > limitBytes ? undefined : Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer, method: string | undefined): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (status !== 204 && status !== 304) response.setHeader('content-length', Buffer.byteLength(body));
  response.end(method === 'HEAD' || status === 204 || status === 304 ? undefined : body);
}
