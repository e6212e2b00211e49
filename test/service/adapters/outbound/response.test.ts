import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { FailureCode } from '../../../../src/contract/delivery-record.ts';
import type { OutboundRequest } from '../../../../src/domain/context.ts';
import { pour, type Receiver, startAnswering, startTcp, startTls, staysOpen } from './receiver.ts';
import { BLOCKED, endedByDeadline, networkOfFile, OK, post } from './test-network.ts';

const network = await networkOfFile();

const MB = 1024 * 1024;
const HEAD = 'HTTP/1.1 200 OK\r\n';

const { makeAttempt } = network.outbound();

/**
 * Makes one delivery and checks its outcome, and that no connection stays open.
 * @param receiverPart after which only the deadline ends the delivery; it ends by itself without one
 */
async function deliverTo(receiver: Receiver, more: Partial<OutboundRequest> = {}, receiverPart?: Promise<void>) {
  const attempt = () => makeAttempt(post(receiver.port, more));
  const outcome = await (receiverPart ? endedByDeadline(attempt, receiverPart) : attempt());
  const isLate = outcome.error?.code === 'timeout' || outcome.error?.message.endsWith('in time') === true;
  expect(isLate).toBe(receiverPart !== undefined);
  expect(await staysOpen(receiver)).toBe(0);
  return { ...outcome, text: outcome.text ?? '' };
}

async function answering(answer: string, end?: 'at the deadline') {
  const answered = Promise.withResolvers<void>();
  const receiver = await startAnswering(network.identity, (_request, _index, socket) => {
    socket.write(answer, () => answered.resolve());
    return undefined;
  });
  return deliverTo(receiver, {}, end && answered.promise);
}

/** Responds to the first request with `start`, then with `more` as fast as it is read, or every `pauseMs`. */
async function endless(start: string, more: string, pauseMs = 0) {
  const dripped = Promise.withResolvers<void>();
  const receiver = await startTls(network.identity, (socket) => {
    socket.once('data', () => {
      socket.resume().write(start);
      if (pauseMs === 0) return pour(socket, more);
      const drip = setInterval(() => socket.write(more, () => dripped.resolve()), pauseMs);
      socket.on('close', () => clearInterval(drip));
    });
  });
  return deliverTo(receiver, {}, pauseMs > 0 ? dripped.promise : undefined);
}

/** Responds and then closes (or resets) the connection. */
async function closing(answer: string, close: (socket: TLSSocket) => void = (socket) => socket.end()) {
  const receiver = await startTls(network.identity, (socket) => {
    socket.once('data', () => socket.write(answer, () => close(socket)));
  });
  return deliverTo(receiver);
}

const reset = (socket: TLSSocket) => setTimeout(() => socket.destroy(), 5);

describe('a plain response', () => {
  test.each([
    ...[200, 201, 202, 204, 299].map((status) => [status, null] as const),
    ...[300, 304, 305, 399].map((status) => [status, 'redirect'] as const),
    ...[400, 401, 404, 408, 410, 418, 429, 451, 500, 502, 503, 504, 599].map(
      (status) => [status, 'http_status'] as const,
    ),
  ])('%i has the outcome %p', async (status, code) => {
    const text = [204, 304].includes(status) ? '' : 'no';
    const length = text === '' ? '' : 'Content-Length: 2\r\n';
    const outcome = await answering(`HTTP/1.1 ${status} Words\r\n${length}\r\n${text}`);
    expect(outcome).toMatchObject({ status, text, success: code === null });
    expect(outcome.error?.code ?? null).toBe(code);
    if (code !== null) expect(outcome.error?.message).toContain(String(status));
  });

  test('POST is sent with exactly the headers and bytes of the request', async () => {
    const receiver = await startAnswering(network.identity, OK);
    expect((await deliverTo(receiver)).text).toBe('ok');
    const headers = [
      ...[`Host: receiver.customer.com:${receiver.port}`, 'Connection: close', 'Accept-Encoding: identity'],
      ...['Content-Type: application/json', 'User-Agent: Service-Integration/1.0', 'Content-Length: 10'],
    ];
    expect(receiver.requests).toEqual([['POST /hook?a=1 HTTP/1.1', ...headers, '', '{"a":"é"}'].join('\r\n')]);
  });

  test('GET is sent without body and length', async () => {
    const receiver = await startAnswering(network.identity, OK);
    expect((await deliverTo(receiver, { method: 'GET', body: null })).text).toBe('ok');
    expect(receiver.requests[0]).toMatch(/^GET \/hook\?a=1 HTTP\/1\.1\r\n/);
    expect(receiver.requests[0]).not.toMatch(/content-length|transfer-encoding/i);
  });

  test.each(['PUT', 'PATCH', 'DELETE'] as const)('%s is sent with body and length', async (method) => {
    const receiver = await startAnswering(network.identity, OK);
    expect((await deliverTo(receiver, { method })).text).toBe('ok');
    expect(receiver.requests[0]).toMatch(new RegExp(`^${method} [^]*\r\nContent-Length: 10\r\n\r\n{"a":"é"}$`));
    expect(receiver.requests[0]).not.toMatch(/transfer-encoding|expect/i);
  });

  test('in chunks, with extensions and trailers', async () => {
    const outcome = await answering(`${HEAD}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX: y\r\n\r\n`);
    expect(outcome).toMatchObject({ status: 200, text: 'ok', error: null });
  });

  test.each(['HTTP/1.0 200 OK\r\n\r\nok', `${HEAD}\r\nok`])(
    'whose body ends with the connection: %j',
    async (answer) => {
      expect(await closing(answer)).toMatchObject({ status: 200, text: 'ok', error: null });
    },
  );

  test('after interim responses, including an unexpected 100 Continue', async () => {
    const outcome = await answering(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`);
    expect(outcome).toMatchObject({ status: 200, text: 'ok', error: null });
  });

  test('whose charset decides how it is read', async () => {
    const type = 'text/plain; charset=iso-8859-1';
    const outcome = await answering(`${HEAD}Content-Type: ${type}\r\nContent-Length: 2\r\n\r\né`);
    expect(outcome).toMatchObject({ text: 'Ã©' });
  });

  test('only keepBytes of the body are kept', async () => {
    const whole = `${HEAD}Content-Length: 10\r\n\r\n0123456789`;
    for (const connectionKey of ['action-1', undefined]) {
      const receiver = await startAnswering(network.identity, whole);
      const outbound = network.outbound();
      const outcome = await outbound.makeAttempt(post(receiver.port), { keepBytes: 4, connectionKey });
      expect(outcome).toMatchObject({ text: '0123', error: null });
    }
  });
});

describe('redirects are not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const canary = await startTcp(() => undefined, BLOCKED);
    const open = await startAnswering(network.identity, OK);
    for (const target of [`https://${BLOCKED}:${canary.port}/`, `https://receiver.customer.com:${open.port}/`]) {
      const outcome = await answering(`HTTP/1.1 ${status} Moved\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`);
      expect(outcome).toMatchObject({ status, error: { code: 'redirect' } });
    }
    expect(canary.connections() + open.connections()).toBe(0);
  });

  test.each([
    [
      'an address, without its query',
      'Location: https://customer.com/new?token=SECRET#SECRET',
      ' to https://customer.com/new',
    ],
    ['a path', 'location: /login', ' to /login'],
    ['the first of two', 'Location: /one\r\nLocation: /two', ' to /one'],
    ['bytes that are no text', 'Location: /caf\u00e9', ' to /caf'],
    ['nothing', 'X-Location: /login', ''],
  ])('to %s: the outcome says where it leads', async (_, header, to) => {
    const { error } = await answering(`HTTP/1.1 301 Moved\r\n${header}\r\nContent-Length: 0\r\n\r\n`);
    const message = `The endpoint sent a redirect (status 301)${to}; redirects are not followed`;
    expect(error).toEqual({ code: 'redirect', message });
  });
});

describe('a received status decides, and a problem with the body is the error of a success', () => {
  const incomplete = (code: FailureCode, why: string) => {
    return { status: 200, success: true, error: { code, message: expect.stringContaining(why) } };
  };

  test.each([
    ['stalls', `${HEAD}Content-Length: 10\r\n\r\n01234`],
    ['stalls in a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\na\r\n01234`],
    ['never starts', `${HEAD}Content-Length: 5\r\n\r\n`],
  ])('a body that %s', async (_, answer) => {
    const outcome = await answering(answer, 'at the deadline');
    expect(outcome).toMatchObject(incomplete('timeout', 'in time'));
    expect('01234').toContain(outcome.text);
  });

  test('a body that arrives byte by byte', async () => {
    const outcome = await endless(`${HEAD}Content-Length: 1000\r\n\r\n`, 'x', 20);
    expect(outcome).toMatchObject(incomplete('timeout', 'in time'));
  });

  test.each([
    ['is shorter than its length', `${HEAD}Content-Length: 10\r\n\r\n01234`],
    ['breaks off in a chunk', `${HEAD}Transfer-Encoding: chunked\r\n\r\na\r\n01234`],
    ['has an invalid chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\nzz\r\n`],
    ['has an endless chunk size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n${'f'.repeat(40)}\r\n`],
    ['has a chunk without its line end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n01234xx`],
  ])('a body that %s', async (_, answer) => {
    const { error, ...outcome } = await closing(answer);
    expect(outcome).toMatchObject({ status: 200, success: true, text: '01234' });
    expect(error).toEqual({
      code: answer.endsWith('01234') ? 'connection_closed' : 'response_malformed',
      message: expect.stringContaining('broke off'),
    });
  });

  test('a body cut by a reset', async () => {
    const outcome = await closing(`${HEAD}Content-Length: 10\r\n\r\n01234`, reset);
    expect(outcome).toMatchObject(incomplete('connection_closed', 'broke off'));
  });

  test('an error status with a stalling body is that error', async () => {
    expect(await answering('HTTP/1.1 500 Oops\r\nContent-Length: 10\r\n\r\n01234', 'at the deadline')).toMatchObject({
      status: 500,
      text: '01234',
      success: false,
      error: {
        code: 'http_status',
        message: 'The endpoint responded with status 500. The response did not end in time',
      },
    });
  });

  test.each([
    ['more than its length', `${OK}more`],
    ['a second response', OK + OK],
    ['a body on 204', 'HTTP/1.1 204 No Content\r\n\r\nbody'],
    ['a length on 204', 'HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody'],
  ])('%s is not read', async (_, answer) => {
    expect(await answering(answer)).toMatchObject({ error: null });
  });
});

describe('the bytes that are read are limited', () => {
  test.each([
    ['', `${HEAD}\r\n`, 'x'.repeat(64 * 1024)],
    [' in chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${'x'.repeat(65536)}\r\n`],
  ])('an endless body%s', async (_, start, more) => {
    const outcome = await endless(start, more);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(outcome.text.length).toBe(MB);
  });

  test('a body of exactly 1 MB is complete', async () => {
    const outcome = await answering(`${HEAD}Content-Length: ${MB}\r\n\r\n${'x'.repeat(MB)}`);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(outcome.text.length).toBe(MB);
  });

  test.each([
    ['an endless chunk extension', '5;', 'x'.repeat(64 * 1024)],
    ['small extensions on an endless number of chunks', '', `1;${'x'.repeat(8000)}\r\ny\r\n`.repeat(8)],
    ['endless trailers', '0\r\n', 'X-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n'.repeat(1000)],
  ])('%s', async (_, start, more) => {
    const outcome = await endless(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${start}`, more);
    expect(outcome).toMatchObject({ status: 200, success: true, error: { code: 'response_malformed' } });
    expect(outcome.text.length).toBeLessThan(2000);
  });

  test('a gzip bomb is neither requested nor unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MB)).toString('latin1');
    const receiver = await startTls(network.identity, (socket) => {
      socket.once('data', () => {
        socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
        socket.write(bomb, 'latin1');
      });
    });
    const outcome = await deliverTo(receiver);
    expect(outcome).toMatchObject({ status: 200, response_excerpt: '(not text)' });
  });

  test.each([
    ['headers', HEAD, 'X-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n'.repeat(1000)],
    ['one header name', HEAD, 'x'.repeat(65536)],
    ['one header value', `${HEAD}X: `, 'x'.repeat(65536)],
    ['the reason phrase', 'HTTP/1.1 200 ', 'x'.repeat(65536)],
    ['interim responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)],
    ['interim responses with headers', '', `HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(8000)}\r\n\r\n`.repeat(8)],
    ['100 Continue', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)],
    ['line ends before the response', '', '\r\n'.repeat(30_000)],
  ])('endless %s', async (_, start, more) => {
    const outcome = await endless(start, more);
    expect(outcome).toMatchObject({ success: start.startsWith(HEAD), error: { code: 'response_malformed' } });
  });

  test.each([
    ['headers', HEAD, 'X-A: b\r\n'],
    ['the status line', 'HTTP/1.1 2', ''],
    ['interim responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
  ])('%s that arrive slowly end at the deadline', async (_, start, more) => {
    const outcome = await endless(start, more, 20);
    expect(outcome).toMatchObject({ success: start.startsWith(HEAD), error: { code: 'timeout' } });
  });
});

describe('a response that is not HTTP/1.1', () => {
  test.each([
    ['nonsense', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['HTTP/0.9', '<html>hello</html>\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['HTTP/3.0', 'HTTP/3.0 200 OK\r\n\r\n'],
    ['HTTP/2.0', 'HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/0.9 by its number', 'HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['RTSP', 'RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['ICE', 'ICE/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['RTSP after an interim response', 'HTTP/1.1 102 Processing\r\n\r\nRTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['an interim response of RTSP', `RTSP/1.0 102 Processing\r\n\r\n${OK}`],
    ['status 1000', 'HTTP/1.1 1000 Four digits\r\nContent-Length: 0\r\n\r\n'],
    ['status -1', 'HTTP/1.1 -1 Minus\r\nContent-Length: 0\r\n\r\n'],
  ])('%s', async (_, answer) => {
    expect(await answering(answer)).toMatchObject({ status: null, error: { code: 'response_malformed' } });
  });

  test.each([
    ['000 Zero', 0],
    ['099 Low', 99],
    ['600 High', 600],
    ['999 High', 999],
    ['101 Switching Protocols', 101],
  ])('status %s, which is recorded with its number', async (words, status) => {
    const switched = status === 101 ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n' : '';
    expect(await answering(`HTTP/1.1 ${words}\r\n${switched}Content-Length: 0\r\n\r\n`)).toMatchObject({
      status,
      error: { code: 'response_malformed' },
    });
  });

  test.each([
    ['closed immediately', '', undefined],
    ['closed in the status line', 'HTTP/1.1 20', undefined],
    ['closed after an interim response', 'HTTP/1.1 100 Continue\r\n\r\n', undefined],
    ['reset immediately', '', reset],
  ])('a connection %s', async (_, answer, close) => {
    expect(await closing(answer, close)).toMatchObject({ status: null, error: { code: 'connection_closed' } });
  });
});

test('an early response to a large request that is never read', async () => {
  const receiver = await startTls(network.identity, (socket) => {
    socket.once('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 20);
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
    });
  });
  expect(await deliverTo(receiver, { body: Buffer.alloc(8 * MB) })).toMatchObject({
    status: 413,
    error: { code: 'http_status' },
  });
});

test('no message contains text of the receiver', async () => {
  for (const answer of [
    'secret-words\r\n\r\n',
    'HTTP/1.1 500 secret-words\r\nContent-Length: 12\r\n\r\nsecret-words',
  ]) {
    expect((await answering(answer)).error?.message).not.toContain('secret');
  }
});

test('a request that cannot be sent as HTTP is an internal_error', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const outcome = await deliverTo(receiver, { headers: { 'X-A': 'a\r\nB: c' } });
  expect(outcome.error).toEqual({ code: 'internal_error', message: 'The service could not make the request' });
  expect(receiver.requests).toEqual([]);
});
