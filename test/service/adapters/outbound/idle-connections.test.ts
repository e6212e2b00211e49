import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Connection } from '../../../../src/adapters/outbound/connect.ts';
import { createIdleConnections } from '../../../../src/adapters/outbound/idle-connections.ts';
import { type Receiver, startAnswering } from './receiver.ts';
import { ALLOWED, HOST, networkOfFile, OK } from './test-network.ts';

const KEY = 'action-1';

const network = await networkOfFile();

/** Sends one request and returns what `then` returns, which runs as soon as the response arrives. */
async function afterResponse<Result>(port: number, then: (connection: Connection) => Promise<Result>): Promise<Result> {
  const socket = connect({ host: ALLOWED, port, servername: HOST, ca: network.authority.pem });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  const result = await new Promise<Result>((resolve, reject) => {
    socket.once('data', () =>
      then({ socket, tcp: socket, address: ALLOWED, openedAt: Date.now(), certificateAsked: false }).then(
        resolve,
        reject,
      ),
    );
  });
  socket.destroy();
  return result;
}

test.each<[string, (socket: TLSSocket, receiver: Receiver) => void, boolean]>([
  ['is silent, so the connection is used again', () => undefined, true],
  ['closes', (socket) => void socket.end(), false],
  ['cuts the connection off', (socket) => void socket.destroy(), false],
  ['resets the connection', (_, receiver) => receiver.reset(), false],
  ['sends an unexpected response', (socket) => void socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), false],
])('while the process reads nothing, because it computes or is frozen, a server %s', async (_, meanwhile, isUsed) => {
  const receiver = await startAnswering(network.identity, (__, ___, socket) => {
    socket.setNoDelay();
    socket.write(OK);
    setTimeout(() => meanwhile(socket, receiver), 3);
    return undefined;
  });
  const used = await afterResponse(receiver.port, async (connection) => {
    const idle = createIdleConnections(Date.now);
    idle.keepConnection(KEY, connection);
    // Longer than the pause after a response.
    const end = Date.now() + 15;
    while (Date.now() < end);
    return idle.take(KEY, [ALLOWED]);
  });
  expect(used !== undefined).toBe(isUsed);
});
