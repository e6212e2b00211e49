import { connect } from 'node:net';
import { startTickets } from './hostile-servers.ts';
import { type Receiver, startAnswering, startTcp } from './receiver.ts';
import { ALLOWED, HOST, networkOfFile, OK, post } from './test-network.ts';

const network = await networkOfFile();

/** The longest host name that DNS allows. */
const LONGEST = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.eeeee.com`;
const NAMES = [HOST, LONGEST];

/** Starts a receiver that passes all bytes on, and counts for each connection what the client sends before the server's first byte. */
async function startCounting(target: Receiver, flights: number[]): Promise<Receiver> {
  return startTcp((socket) => {
    const server = connect(target.port, '127.0.0.1');
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
    };
    server.once('data', () => {
      socket.off('data', count);
      flights.push(bytes);
    });
    server.on('error', () => socket.destroy());
    socket.on('data', count).pipe(server).pipe(socket);
    socket.on('close', () => server.destroy());
  });
}

/** Makes two deliveries of one Action on two connections. Returns the bytes of their first flights. */
async function flightsTo(host: string, start: (host: string) => Promise<Receiver>): Promise<readonly number[]> {
  network.names.zone.set(host, { a: [ALLOWED] });
  const flights: number[] = [];
  const receiver = await startCounting(await start(host), flights);
  const outbound = network.outbound();
  const request = post(0, { url: `https://${host}:${receiver.port}/` });
  for (let delivery = 0; delivery < 2; delivery += 1) {
    expect(await outbound.makeAttempt(request, { connectionKey: 'action-1' })).toMatchObject({
      status: 200,
      error: null,
    });
    await outbound.close();
  }
  return flights;
}

const CLOSING = OK.replace('\r\n', '\r\nConnection: close\r\n');

test.each(NAMES)('the first flight fits into one segment, with and without a session: %s', async (host) => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const [first = 0, second = 0] = await flightsTo(host, () =>
      startAnswering({ ...network.authority.issue([host]), maxVersion }, CLOSING),
    );
    // A session makes it larger.
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(1400);
  }
});

test.each(NAMES)('a server that chooses large tickets does not change that: %s', async (host) => {
  const flights = (bytes: number) => flightsTo(host, () => startTickets(network.authority, bytes, host));
  const [first = 0, second = 0] = await flights(768);
  expect(second).toBeGreaterThan(first + 768);
  expect(second).toBeLessThan(1400);
  // The server sends a small ticket first, which is used in place of one that is too large.
  const [, third = 0] = await flights(769);
  expect(third).toBeLessThan(first + 768);
});

test('a server that insists on the hybrid group gets its key in a second flight', async () => {
  const receiver = await startAnswering({ ...network.identity, ecdhCurve: 'X25519MLKEM768' }, OK);
  expect(await network.outbound().makeAttempt(post(receiver.port))).toMatchObject({ status: 200, error: null });
});
