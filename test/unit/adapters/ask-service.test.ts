import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { listenOnLoopback } from '../../../local/cloud/listener.ts';
import { askService } from '../../../src/adapters/ask-service.ts';
import { originOf } from '../../harness/server.ts';

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/whole': (response) => response.end('x'.repeat(1000)),
  '/moved': (response) => response.writeHead(302, { location: '/whole' }).end(),
  '/large': (response) => response.end('x'.repeat(2 * 1024 * 1024)),
  '/silent': () => undefined,
  '/dripping': (response) => {
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
  },
};
const closed: (string | undefined)[] = [];
const base = await originOf(
  createServer((request, response) => {
    closed.push(request.headers.connection);
    request.resume().on('end', () => answers[request.url ?? '']?.(response));
  }),
);
const ask = (path: string, timeoutMs = 5000) => askService(base, timeoutMs)({ method: 'GET', path, headers: {} });

test('an answer is read, a redirect is not followed, and no connection is kept', async () => {
  closed.length = 0;
  expect(await ask('/whole')).toEqual({ status: 200, text: 'x'.repeat(1000) });
  expect(await ask('/moved')).toEqual({ status: 302, text: '' });
  expect(closed).toEqual(['close', 'close']);
});

test.each(['/silent', '/dripping'])('%s ends at the deadline', async (path) => {
  await expect(ask(path, 200)).rejects.toThrow();
});

test('a connection that is not established ends at the deadline', async () => {
  const mute = createTcpServer((socket) => socket.resume().on('error', () => {}));
  const overTls = askService(`https://127.0.0.1:${await listenOnLoopback(mute, 0)}`, 200);
  await expect(overTls({ method: 'GET', path: '/', headers: {} })).rejects.toThrow('timeout: 200ms');
  mute.close();
});

test('an answer without end is not read', async () => {
  await expect(ask('/large')).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
});
