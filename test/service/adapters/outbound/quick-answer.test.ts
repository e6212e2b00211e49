import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { startAttempt } from '../../../../src/adapters/outbound/attempt.ts';
import { exchange } from '../../../../src/adapters/outbound/exchange.ts';
import { OK, post } from './test-network.ts';

const ENDPOINT = { host: 'a.example', isAddress: false, port: 443, authority: 'a.example', target: '/' };

/** Creates a connection whose peer responds as soon as it has the body. `written` receives the callback that reports the written request. */
async function answeredAtOnce(written: (news: () => void) => void) {
  const request = post(443);
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, news) => {
      if (!chunk.toString().endsWith(Buffer.from(request.body ?? []).toString())) return news();
      socket.push(OK);
      written(news);
    },
  });
  const attempt = startAttempt(20_000, () => 0);
  const tls = socket as TLSSocket;
  const connection = { socket: tls, tcp: tls, address: '127.0.0.1', openedAt: 0, certificateAsked: false };
  const reading = { keepBytes: undefined, isKeptAlive: true };
  const { answer, isReusable } = await exchange(connection, ENDPOINT, request, reading, attempt);
  attempt.finish();
  expect([answer.status, answer.error]).toEqual([200, null]);
  return { isReusable, destroyed: socket.destroyed };
}

test('a response that arrives before the request is reported as written leaves the connection reusable', async () => {
  expect(await answeredAtOnce(setImmediate)).toEqual({ isReusable: true, destroyed: false });
});

test('a response to a request that is not fully written closes the connection', async () => {
  expect(await answeredAtOnce(() => undefined)).toEqual({ isReusable: false, destroyed: true });
});
