import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ReceiverCertificates } from '../../local/receiver-certificates.ts';

/** Starts a receiver that records when each event arrives. `/failing` answers 503, and every other path 200. */
export async function startTimedReceiver({ certificate, key }: ReceiverCertificates) {
  /** Arrival times in Unix milliseconds by the `mark` in the event's data. */
  const arrivals = new Map<string, number[]>();
  const server = createServer({ cert: certificate, key, keepAlive: true }, (request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { mark } = JSON.parse(Buffer.concat(chunks).toString()).data;
      arrivals.set(mark, [...(arrivals.get(mark) ?? []), at]);
      response.writeHead(request.url === '/failing' ? 503 : 200).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    arrivals,
    url: (path: string) => `https://localhost:${port}${path}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
