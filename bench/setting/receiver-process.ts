import { createServer } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from '../../local/cloud/listener.ts';
import { type Arrival, microseconds } from './bench-receiver.ts';

// Customers' endpoints that read and answer requests. bench-receiver.ts starts this separate process.

const { RECEIVER_CERTIFICATE: cert, RECEIVER_KEY: key, RECEIVER_ENDPOINTS: count } = process.env;
/** Whether the endpoints read the bodies and record the arrivals. Reading costs processor time, which a measurement of the sender must not share. */
const records = process.env.RECEIVER_RECORDS === 'true';
/** Milliseconds between two reports to the parent. */
const REPORT_MS = 20;

let arrivals: Arrival[] = [];
let connections = 0;
let hangMilliseconds: Readonly<Record<number, number>> = {}; // Milliseconds for each request, by the endpoint's index.

const ports = await Promise.all(
  Array.from({ length: Number(count) }, async (_, endpoint) => {
    const server = createServer({ cert, key, keepAlive: true }, (request, response) => {
      const { url } = request;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => records && chunks.push(chunk));
      request.on('end', async () => {
        const mark = /"mark":\s*(\d+)/.exec(Buffer.concat(chunks).toString())?.[1];
        if (mark !== undefined) arrivals.push({ mark: Number(mark), endpoint, at: microseconds() });
        await pause(hangMilliseconds[endpoint] ?? 0);
        const closing = url === '/closing' ? { connection: 'close' } : {};
        const headers = { 'content-type': 'application/json', 'content-length': '2', ...closing };
        response.writeHead(200, headers).end('{}');
      });
    });
    server.on('secureConnection', () => {
      connections += 1;
    });
    // Longer than any pause of a measurement, so that only the sender closes connections.
    server.keepAliveTimeout = 120_000;
    return listenOnLoopback(server, 0);
  }),
);

process.on('message', (milliseconds: typeof hangMilliseconds) => {
  hangMilliseconds = milliseconds;
});
setInterval(() => {
  if (arrivals.length > 0) process.send?.({ arrivals, connections });
  arrivals = [];
}, REPORT_MS);
process.once('disconnect', () => process.exit());
process.send?.({ ports });
