import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type Receiver, startAnswering } from './receiver.ts';
import { HOST, networkOfFile, OK } from './test-network.ts';

/** Tests of connections that stay open between two invocations, while the process is stopped as Lambda freezes a function. */

const network = await networkOfFile();
/** One process for each behaviour of a peer. Each delivery has its own receiver. */
const senders: Sender[] = [];
beforeAll(() => void senders.push(...MEANWHILE.map(() => startSender())));
afterAll(() => {
  for (const sender of senders) sender.kill();
});

function startSender() {
  const file = fileURLToPath(new URL('./stopped-sender.ts', import.meta.url));
  const sender = fork(file, [JSON.stringify(network.surroundings)], { execPath: process.execPath, execArgv: [] });
  const url = (port: number) => `https://${HOST}:${port}/hook`;
  return {
    makeAttempt: async (port: number): Promise<unknown> => {
      const [outcome] = await Promise.all([once(sender, 'message'), sender.send({ url: url(port), aheadMs: 0 })]);
      return outcome[0];
    },
    /** Stops the process and sends it the command to deliver while it is stopped. The kernel decides which input it reads first afterwards. */
    stopped: async (port: number, ms: number, meanwhile: () => void, aheadMs: number): Promise<unknown> => {
      sender.kill('SIGSTOP');
      meanwhile();
      await pause(ms);
      const outcome = once(sender, 'message');
      sender.send({ url: url(port), aheadMs });
      sender.kill('SIGCONT');
      return (await outcome)[0];
    },
    kill: () => sender.kill('SIGKILL'),
  };
}

type Sender = ReturnType<typeof startSender>;

const DELIVERED = { status: 200, failure: null };
const nothing = () => undefined;
const MEANWHILE: readonly (readonly [string, (socket: TLSSocket, receiver: Receiver) => void])[] = [
  ['does nothing', nothing],
  ['closes', (socket) => void socket.end()],
  ['cuts the connection off', (socket) => void socket.destroy()],
  ['resets the connection', (_, receiver) => receiver.reset()],
  [
    'sends an unexpected response',
    (socket) => void socket.write('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'),
  ],
  ['sends an unexpected response and closes', (socket) => void socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n')],
];
const FREEZES: readonly (readonly [name: string, ms: number, aheadMs: number])[] = [
  ['0.3 s', 300, 0],
  ['1.2 s', 1200, 0],
  // Stopped for a short time, with the wall clock a minute ahead.
  ['60 s', 100, 60_000],
];

test.each(FREEZES)('the next delivery of a process that was stopped for %s arrives once', async (_, ms, aheadMs) => {
  const found = await Promise.all(
    MEANWHILE.map(async ([what, meanwhile], index) => {
      const sockets: TLSSocket[] = [];
      const receiver = await startAnswering(network.identity, (__, ___, socket) => {
        sockets.push(socket);
        return OK;
      });
      const sender = senders[index];
      const first = await sender?.makeAttempt(receiver.port);
      const during = () => {
        for (const socket of sockets) meanwhile(socket, receiver);
      };
      const second = await sender?.stopped(receiver.port, ms, during, aheadMs);
      // The connection may be the same only when it was idle for less than a second, silent and open.
      const mayReuse = what === 'does nothing' && ms + aheadMs < 1000;
      return [what, first, second, receiver.requests.length, mayReuse || receiver.connections() === 2];
    }),
  );
  expect(found).toEqual(MEANWHILE.map(([what]) => [what, DELIVERED, DELIVERED, 2, true]));
});
