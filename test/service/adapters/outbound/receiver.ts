import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

export type Receiver = {
  readonly port: number;
  /** TCP connections accepted so far. */
  connections(): number;
  /** TCP connections open now. */
  open(): number;
  /** Resets every connection with RST. */
  reset(): void;
  stop(): Promise<void>;
};

const started = new Set<Receiver>();

/** Stops all running receivers. */
export async function stopReceivers(): Promise<void> {
  await Promise.all([...started].map((receiver) => receiver.stop()));
}

/**
 * Returns the number of connections that stay open. Waits, because a close takes a few turns of the event loop. A connection that is
 * kept open for the next request is open for a second.
 */
export async function staysOpen(receiver: Receiver): Promise<number> {
  for (let turn = 0; turn < 80 && receiver.open() > 0; turn++) await pause(10);
  return receiver.open();
}

async function listen(server: Server, host: string, port = 0): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  const receiver: Receiver = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
    open: () => sockets.size,
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    stop: () => {
      started.delete(receiver);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  started.add(receiver);
  return receiver;
}

/** Starts a TCP server without TLS. `behave` writes all its bytes. */
export function startTcp(behave: (socket: Socket) => void, host = '127.0.0.1', port = 0): Promise<Receiver> {
  return listen(createTcpServer(behave), host, port);
}

/** Starts a TLS server without HTTP. `behave` writes all its bytes. */
export function startTls(
  options: TlsOptions,
  behave: (socket: TLSSocket, request: AsyncIterable<string>) => void,
  host = '127.0.0.1',
  port = 0,
): Promise<Receiver> {
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => undefined);
    behave(socket, requests(socket));
  });
  server.on('tlsClientError', () => undefined);
  return listen(server, host, port);
}

/** Yields the requests of one connection as received, with head and body. */
async function* requests(socket: TLSSocket): AsyncIterable<string> {
  let text = '';
  try {
    for await (const chunk of socket) {
      text += Buffer.from(chunk).toString('latin1');
      for (;;) {
        const head = text.indexOf('\r\n\r\n');
        if (head < 0) break;
        const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? '0';
        const end = head + 4 + Number(length);
        if (text.length < end) break;
        yield Buffer.from(text.slice(0, end), 'latin1').toString();
        text = text.slice(end);
      }
    }
  } catch {
    // The client closed the connection. The test checks whether this is right.
  }
}

/** Writes the same bytes again and again, as fast as they are read. */
export function pour(socket: Socket, bytes: Uint8Array | string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Responds to every request with the same bytes, or with the result of `answer` for the request and its number on the connection. */
export function startAnswering(
  options: TlsOptions,
  answer: string | ((request: string, index: number, socket: TLSSocket) => string | undefined),
  host?: string,
  port?: number,
): Promise<Receiver & { readonly requests: readonly string[] }> {
  const seen: string[] = [];
  const receiver = startTls(
    options,
    async (socket, incoming) => {
      let index = 0;
      for await (const request of incoming) {
        seen.push(request);
        const text = typeof answer === 'string' ? answer : answer(request, index++, socket);
        if (text !== undefined && socket.writable) socket.write(text);
      }
    },
    host,
    port,
  );
  return receiver.then((started) => ({ ...started, requests: seen }));
}
