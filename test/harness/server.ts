import { createServer, type RequestListener, type Server } from 'node:http';
import { listenOnLoopback } from '../../local/cloud/listener.ts';

export type TestServer = { readonly port: number; readonly origin: string; readonly stop: () => void };

/** Starts a server on a free port of this machine. It stops with its connections. */
export async function startServer(listener: RequestListener): Promise<TestServer> {
  return started(createServer(listener));
}

/** Starts a server that stops after the tests of the file. @returns its origin */
export async function originOf(server: Server): Promise<string> {
  const { origin, stop } = await started(server);
  afterAll(stop);
  return origin;
}

async function started(server: Server): Promise<TestServer> {
  const port = await listenOnLoopback(server, 0);
  return { port, origin: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() };
}
