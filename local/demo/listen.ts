import type { Server } from 'node:net';
import { codeOf } from '../cloud/cloud-error.ts';

const LOOPBACK = '127.0.0.1';

/** Listens on loopback: on the preferred port, or on any if that one is taken. Returns the port. */
export async function listen(server: Server, preferredPort: number): Promise<number> {
  try {
    return await listenOn(server, preferredPort);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    return listenOn(server, 0);
  }
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
