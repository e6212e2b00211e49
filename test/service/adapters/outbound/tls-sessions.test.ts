import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { originOf } from '../../../harness/server.ts';
import { clock, networkOfFile, post } from './test-network.ts';

const network = await networkOfFile();
/** For each connection, whether it resumed a session. */
const resumed: boolean[] = [];
const server = createServer({ ...network.identity, maxVersion: 'TLSv1.3' }, (request, response) => {
  request.resume().on('end', () => response.writeHead(200, { connection: 'close' }).end('{}'));
});
server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
const port = Number(new URL(await originOf(server)).port);
beforeEach(() => {
  resumed.length = 0;
});

test('deliveries of one Action resume its TLS session on new connections, also in a later invocation', async () => {
  const outbound = network.outbound();
  for (let delivery = 0; delivery < 3; delivery++) {
    expect((await outbound.makeAttempt(post(port), { connectionKey: 'action-1' })).status).toBe(200);
    await outbound.close();
  }
  expect(resumed).toEqual([false, true, true]);
});

test('deliveries of two Actions do not share a session, and deliveries without a key have none', async () => {
  const outbound = network.outbound();
  for (const connectionKey of ['action-1', 'action-2']) await outbound.makeAttempt(post(port), { connectionKey });
  for (let delivery = 0; delivery < 2; delivery++) await outbound.makeAttempt(post(port));
  expect(resumed).toEqual([false, false, false, false]);
});

test('a certificate is checked at least once a minute', async () => {
  let ahead = 0;
  const outbound = network.outbound({ clock: { ...clock, wallTime: () => Date.now() + ahead } });
  const event = () => outbound.makeAttempt(post(port), { connectionKey: 'action-1' });
  await event();
  ahead = 40_000;
  await event();
  // The session was resumed 20 s ago, but the certificate was verified a minute ago.
  ahead = 60_100;
  await event();
  expect(resumed).toEqual([false, true, false]);
});

test('no session is resumed after the wall clock was set back', async () => {
  let ahead = 0;
  const outbound = network.outbound({ clock: { ...clock, wallTime: () => Date.now() + ahead } });
  await outbound.makeAttempt(post(port), { connectionKey: 'action-1' });
  ahead = -10_000;
  await outbound.makeAttempt(post(port), { connectionKey: 'action-1' });
  expect(resumed).toEqual([false, false]);
});
