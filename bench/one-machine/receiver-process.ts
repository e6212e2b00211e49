import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Arrival, ReceiverCommand } from './receiver.ts';

// Customers' endpoints that read and answer requests and record the arrivals. receiver.ts starts this separate process.

const { RECEIVER_CERTIFICATE: cert, RECEIVER_KEY: key, RECEIVER_ENDPOINTS: count = '10' } = process.env;
/** Milliseconds between two reports to the parent. */
const REPORT_MS = 20;

let arrivals: Arrival[] = [];
let connections = 0;
const hanging = new Map<number, number>();

const ports = await Promise.all(
  Array.from({ length: Number(count) }, async (_, endpoint) => {
    const server = createServer({ cert, key, keepAlive: true }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const mark = /"mark":\s*(\d+)/.exec(Buffer.concat(chunks).toString())?.[1];
        if (mark !== undefined)
          arrivals.push({ mark: Number(mark), endpoint, at: Number(process.hrtime.bigint() / 1000n) });
        const hangsFor = hanging.get(endpoint);
        if (hangsFor !== undefined) await pause(hangsFor);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).end('{}');
      });
    });
    server.on('secureConnection', () => {
      connections += 1;
    });
    // Longer than any pause of a measurement, so that only the sender closes connections.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }),
);

process.on('message', (command: ReceiverCommand) => {
  if (command.hangsFor === 0) hanging.delete(command.endpoint);
  else hanging.set(command.endpoint, command.hangsFor);
});
setInterval(() => {
  if (arrivals.length > 0) process.send?.({ arrivals, connections });
  arrivals = [];
}, REPORT_MS);
process.once('disconnect', () => process.exit());
process.send?.({ ports });
