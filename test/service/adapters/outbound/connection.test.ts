import { createOutbound } from '../../../../src/adapters/outbound/outbound.ts';
import { InvocationEnded } from '../../../../src/domain/delivery/outbound-request.ts';
import { restoreEnvironmentAfterEach } from '../../../harness/environment.ts';
import { until } from '../../../harness/until.ts';
import { selfSigned } from './authority.ts';
import { type Receiver, startAnswering, startTcp, startTls, staysOpen } from './receiver.ts';
import {
  ALLOWED,
  ALLOWED_TOO,
  clock,
  endedByDeadline,
  HOST,
  LONG_MS,
  networkOfFile,
  OK,
  post,
} from './test-network.ts';

restoreEnvironmentAfterEach();
const network = await networkOfFile();

async function deliverTo(receiver: Receiver, url = `https://${HOST}:${receiver.port}/`, receiverPart?: Promise<void>) {
  const { makeAttempt } = network.outbound();
  const attempt = () => makeAttempt(post(0, { url }));
  const outcome = await (receiverPart ? endedByDeadline(attempt, receiverPart) : attempt());
  expect(await staysOpen(receiver)).toBe(0);
  return outcome;
}

describe('a receiver that stops responding', () => {
  let part = Promise.withResolvers<void>();
  beforeEach(() => {
    part = Promise.withResolvers<void>();
  });
  const endedBy = async (receiver: Receiver) => (await deliverTo(receiver, undefined, part.promise)).error;

  test('after the connection was accepted', async () => {
    const receiver = await startTcp((socket) => {
      socket.resume();
      part.resolve();
    });
    expect(await endedBy(receiver)).toEqual({
      code: 'timeout',
      message: expect.stringContaining('TLS was being negotiated'),
    });
  });

  test.each([
    ['that breaks off', false],
    ['that arrives byte by byte', true],
  ])('during a TLS handshake %s', async (_, drips) => {
    const receiver = await startTcp((socket) => {
      // The record header announces more bytes than are sent.
      socket.resume().write(Buffer.from('1603030fff02', 'hex'), () => drips || part.resolve());
      const drip = setInterval(() => drips && socket.write(Buffer.from([0]), () => part.resolve()), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect((await endedBy(receiver))?.code).toBe('timeout');
  });

  test('after the request', async () => {
    const receiver = await startTls(network.identity, (socket) => socket.on('data', () => part.resolve()));
    expect(await endedBy(receiver)).toEqual({
      code: 'timeout',
      message: expect.stringContaining('waiting for the response'),
    });
  });
});

test('the deadline is 5 seconds by default', async () => {
  const { jest } = import.meta;
  const asked = Promise.withResolvers<unknown>();
  const receiver = await startTls(network.identity, (socket) => socket.once('data', asked.resolve));
  jest.useFakeTimers({ doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
  try {
    let ended = false;
    const pending = createOutbound({ clock, networkRule: network.rule })
      .makeAttempt(post(0, { url: `https://${ALLOWED}:${receiver.port}/` }))
      .finally(() => {
        ended = true;
      });
    await asked.promise;
    jest.advanceTimersByTime(4999);
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    jest.advanceTimersByTime(1);
    expect((await pending).error?.code).toBe('timeout');
  } finally {
    jest.useRealTimers();
  }
});

describe('what arrives after the deadline is not read, although the timer has not fired, after', () => {
  let lateMs = 0;
  const pass = () => {
    lateMs = LONG_MS;
  };
  beforeEach(() => {
    lateMs = 0;
  });
  const { makeAttempt } = network.outbound({
    clock: { monotonicTime: () => performance.now() + lateMs, wallTime: () => Date.now() },
  });

  test.each<[string, string, (passing: () => void) => Promise<Receiver>]>([
    [
      'the lookup',
      'the host name was being resolved',
      (passing) => {
        network.names.zone.set(HOST, () => {
          passing();
          return { a: [ALLOWED] };
        });
        return startAnswering(network.identity, OK);
      },
    ],
    [
      'the beginning of TLS',
      'TLS was being negotiated',
      (passing) => {
        const SNICallback = (_: string, answer: (error: null) => void) => {
          passing();
          answer(null);
        };
        return startAnswering({ ...network.identity, SNICallback }, OK);
      },
    ],
    [
      'the request',
      'waiting for the response',
      (passing) =>
        startAnswering(network.identity, () => {
          passing();
          return OK;
        }),
    ],
  ])('%s', async (_, stage, start) => {
    const receiver = await start(pass);
    const { status, error } = await makeAttempt(post(receiver.port));
    expect({ status, error }).toEqual({
      status: null,
      error: { code: 'timeout', message: expect.stringContaining(stage) },
    });
    expect(await staysOpen(receiver)).toBe(0);
  });
});

test('of several addresses whose port has no listener, the message says what each did', async () => {
  const receiver = await startTcp(() => undefined);
  await receiver.stop();
  network.names.zone.set(HOST, { a: [ALLOWED, ALLOWED_TOO] });
  expect((await deliverTo(receiver)).error).toEqual({
    code: 'connect_failure',
    message: `${HOST} could not be reached: ${ALLOWED} refused the connection, ${ALLOWED_TOO} refused the connection`,
  });
});

describe('TLS', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000);
  const valid = (from: number, to: number) =>
    network.authority.issue([HOST], { notBefore: inDays(from), notAfter: inDays(to) });

  test.each([
    ['expired', 'has expired', () => valid(-8, -1)],
    ['not valid yet', 'not valid yet', () => valid(1, 8)],
    ['self-signed', 'self-signed', () => selfSigned([HOST])],
    ['for another host', 'another host name', () => network.authority.issue(['other.customer.com'])],
    ['for a parent domain', 'another host name', () => network.authority.issue(['customer.com', '*.com'])],
  ])('a certificate that is %s is refused before a byte of the request is sent', async (_, message, identity) => {
    const receiver = await startAnswering(identity(), OK);
    const outcome = await deliverTo(receiver);
    expect(outcome.error).toEqual({ code: 'tls_failure', message: expect.stringContaining(message) });
    expect(receiver.requests).toEqual([]);
  });

  // A host name in the DNS may have an underscore, which OpenSSL's own check refuses under a wildcard.
  test.each([
    ['my_app.customer.com', '*.customer.com'],
    ['a.my_zone.customer.com', '*.my_zone.customer.com'],
    ['a.customer.com', 'A.Customer.com'],
  ])('%s is a host of a certificate for %s', async (host, name) => {
    network.names.zone.set(host, { a: [ALLOWED] });
    const receiver = await startAnswering(network.authority.issue([name]), OK);
    expect((await deliverTo(receiver, `https://${host}:${receiver.port}/`)).status).toBe(200);
  });

  test('the environment cannot disable verification', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const receiver = await startAnswering(selfSigned([HOST]), OK);
    expect((await deliverTo(receiver)).error?.code).toBe('tls_failure');
  });

  test('the authority of another pipeline is not trusted', async () => {
    const receiver = await startAnswering(network.identity, OK);
    const outbound = network.outbound({ networkRule: { ...network.rule, extraCertificateAuthorities: () => [] } });
    expect((await outbound.makeAttempt(post(receiver.port))).error?.code).toBe('tls_failure');
  });

  test('a server that speaks plain HTTP', async () => {
    const receiver = await startTcp((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await deliverTo(receiver)).error?.code).toBe('tls_failure');
  });

  test.each([
    ['closes', (socket: import('node:net').Socket) => socket.resume().end()],
    ['resets', (socket: import('node:net').Socket) => socket.on('data', () => socket.resetAndDestroy())],
  ])('a server that %s during the handshake', async (_, behave) => {
    expect((await deliverTo(await startTcp(behave))).error?.code).toBe('tls_failure');
  });

  test('SNI has a name without a trailing dot, and is absent for an address', async () => {
    const seen: unknown[] = [];
    const answering = (socket: import('node:tls').TLSSocket) => {
      seen.push(socket.servername);
      socket.once('data', () => socket.end(OK));
    };
    const first = await startTls(network.identity, answering);
    expect((await deliverTo(first, `https://${HOST}.:${first.port}/`)).status).toBe(200);
    const second = await startTls(network.identity, answering);
    expect((await deliverTo(second, `https://${ALLOWED}:${second.port}/`)).status).toBe(200);
    expect(seen).toEqual([HOST, false]);
  });

  test('HTTP/2 is not offered', async () => {
    const { createSecureServer } = await import('node:http2');
    const server = createSecureServer(network.identity);
    server.on('unknownProtocol', (socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, ALLOWED, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const outcome = await network.outbound().makeAttempt(post(port));
    server.close();
    expect(outcome.error?.code).toMatch(/tls_failure|connection_closed/);
  });
});

test('proxies of the environment are not used', async () => {
  const proxy = await startTcp((socket) => socket.destroy());
  const receiver = await startAnswering(network.identity, OK);
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) process.env[name] = `http://127.0.0.1:${proxy.port}`;
  expect((await deliverTo(receiver)).status).toBe(200);
  expect(proxy.connections()).toBe(0);
});

test('an attempt ends with its invocation, and the attempt of another invocation goes on', async () => {
  const silent = await startTls(network.identity, (socket) => socket.resume());
  const outbound = network.outbound();
  const [ending, other] = [new AbortController(), new AbortController()];
  const cut = outbound.makeAttempt(post(silent.port), {}, ending.signal);
  const receiver = await startAnswering(network.identity, OK);
  const beside = outbound.makeAttempt(post(silent.port), {}, other.signal);
  await until(() => silent.connections() === 2);
  ending.abort();
  await expect(cut).rejects.toThrow(InvocationEnded);
  await until(() => silent.open() === 1);
  expect((await outbound.makeAttempt(post(receiver.port), {}, other.signal)).status).toBe(200);
  other.abort();
  await expect(beside).rejects.toThrow(InvocationEnded);
});

test('no attempt begins after the end of its invocation', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const ended = AbortSignal.abort();
  await expect(network.outbound().makeAttempt(post(receiver.port), {}, ended)).rejects.toThrow(InvocationEnded);
  expect(receiver.connections()).toBe(0);
});
