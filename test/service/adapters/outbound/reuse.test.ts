import type { TLSSocket } from 'node:tls';
import type { Outbound } from '../../../../src/adapters/outbound/outbound.ts';
import { until } from '../../../harness/until.ts';
import { type Receiver, startAnswering, staysOpen } from './receiver.ts';
import { ALLOWED, ALLOWED_TOO, BLOCKED, clock, HOST, holdIdleTime, networkOfFile, OK, post } from './test-network.ts';

const network = await networkOfFile();
const endIdleTime = holdIdleTime();

const event = (receiver: Receiver, connectionKey = 'action-1') => [post(receiver.port), { connectionKey }] as const;

/** Makes deliveries one after another without delay. Each must succeed with one request. */
async function oneByOne(
  count: number,
  receiver: Receiver & { readonly requests: readonly string[] },
  outbound: Outbound,
) {
  for (let index = 0; index < count; index += 1) {
    const outcome = await outbound.makeAttempt(...event(receiver));
    expect(outcome).toMatchObject({ status: 200, error: null });
  }
  expect(receiver.requests.length).toBe(count);
  outbound.close();
  expect(await staysOpen(receiver)).toBe(0);
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';

test.each([
  ['with a length', OK],
  ['in chunks', CHUNKED],
  ['in chunks with a trailer', CHUNKED.replace(/\r\n$/, 'X: y\r\n\r\n')],
  ['without a body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['after an interim response', `HTTP/1.1 100 Continue\r\n\r\n${OK}`],
])('deliveries of one Action share a connection after a response %s', async (_, answer) => {
  const receiver = await startAnswering(network.identity, answer);
  await oneByOne(20, receiver, network.outbound());
  expect(receiver.connections()).toBe(1);
  expect(receiver.requests[0]).toContain('\r\nConnection: keep-alive\r\n');
});

test('deliveries of two Actions and deliveries without a key do not share a connection', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const outbound = network.outbound();
  for (const key of ['action-1', 'action-2']) await outbound.makeAttempt(...event(receiver, key));
  for (let index = 0; index < 3; index += 1) await outbound.makeAttempt(post(receiver.port));
  expect(receiver.connections()).toBe(5);
});

test('concurrent requests use separate connections', async () => {
  const waiting: TLSSocket[] = [];
  const receiver = await startAnswering(network.identity, (_, __, socket) => {
    if (waiting.push(socket) === 5) for (const one of waiting) one.write(OK);
    return undefined;
  });
  const outbound = network.outbound();
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => outbound.makeAttempt(...event(receiver))));
  expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(receiver.connections()).toBe(5);
});

describe('with a server that closes without announcing it, 40 of 40 requests arrive once', () => {
  type Answer = Parameters<typeof startAnswering>[1];
  const later =
    (close: (socket: TLSSocket) => void, ms: number): Answer =>
    (_, __, socket) => {
      socket.write(OK);
      // Set before the response can arrive, so that this timer always fires before the timer of the pause.
      setTimeout(() => close(socket), ms);
      return undefined;
    };
  const ending =
    (answer: string): Answer =>
    (_, __, socket) =>
      void socket.end(answer);
  test.each<[string, Answer]>([
    ['after each response', ending(OK)],
    [
      'after each response that announces keep-alive',
      ending('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok'),
    ],
    ['a moment after each response', later((socket) => void socket.end(), 1)],
    ['three milliseconds after each response', later((socket) => void socket.end(), 3)],
    ['by cutting it off after each response', later((socket) => void socket.destroy(), 1)],
    ['after each third response', (_, index, socket) => void (index % 3 === 2 ? socket.end(OK) : socket.write(OK))],
    ['with Connection: close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'],
    ['in HTTP/1.0', ending('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok')],
    [
      'with a keep-alive timeout that is too short',
      'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok',
    ],
  ])('%s', async (_, answer) => {
    await oneByOne(40, await startAnswering(network.identity, answer), network.outbound());
  });
});

describe('a connection is not reused', () => {
  const TROUBLES: readonly (readonly [string, string])[] = [
    ['after a body that was cut', `HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n${'x'.repeat(2_000_000)}`],
    ['after more than was announced', `${OK}more`],
    ['after a second response', OK + OK],
    ['after the beginning of a second response', `${OK}HTTP/1.1 2`],
    ['after the head of a second response without its end', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n`],
    ['after an additional line break', `${OK}\r\n`],
    ['after the beginning of a second response after chunks', `${CHUNKED}HTTP/1.1 2`],
    ['after the beginning of a second response after 204', 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 2'],
    ['after a body on 204', 'HTTP/1.1 204 No Content\r\n\r\nbody'],
    ['after 204 that announces chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['after a response without length', 'HTTP/1.1 200 OK\r\n\r\nok'],
  ];
  test.each(TROUBLES)('%s', async (_, answer) => {
    const receiver = await startAnswering(network.identity, (__, ___, socket) => {
      socket.write(answer);
      setTimeout(() => socket.end(), 20);
      return undefined;
    });
    const outbound = network.outbound();
    for (let index = 0; index < 3; index += 1)
      expect((await outbound.makeAttempt(...event(receiver))).error).toBeNull();
    expect(receiver.connections()).toBe(3);
  });

  test('when it received unexpected bytes', async () => {
    const receiver = await startAnswering(network.identity, (_, __, socket) => {
      socket.setNoDelay();
      socket.write(OK, () => setTimeout(() => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), 5));
      return undefined;
    });
    const outbound = network.outbound();
    for (let index = 0; index < 3; index += 1)
      expect((await outbound.makeAttempt(...event(receiver))).status).toBe(200);
    expect(receiver.connections()).toBe(3);
  });

  test('when it was idle for a second by the wall clock, as after a freeze', async () => {
    let frozenMs = 0;
    const receiver = await startAnswering(network.identity, OK);
    const outbound = network.outbound({ clock: { ...clock, wallTime: () => Date.now() + frozenMs } });
    await outbound.makeAttempt(...event(receiver));
    frozenMs = 1000;
    await outbound.makeAttempt(...event(receiver));
    expect(receiver.connections()).toBe(2);
    frozenMs = -60_000;
    await outbound.makeAttempt(...event(receiver));
    expect(receiver.connections()).toBe(3);
  });

  test('when it has been idle for a second, after which it is closed', async () => {
    const receiver = await startAnswering(network.identity, OK);
    await network.outbound().makeAttempt(...event(receiver));
    expect(receiver.open()).toBe(1);
    endIdleTime();
    await until(() => receiver.open() === 0);
  });

  test('when the name has changed to a blocked address, and nothing is sent', async () => {
    const receiver = await startAnswering(network.identity, OK);
    const outbound = network.outbound();
    await outbound.makeAttempt(...event(receiver));
    network.names.zone.set(HOST, { a: [BLOCKED] });
    expect((await outbound.makeAttempt(...event(receiver))).error?.code).toBe('blocked_address');
    expect(receiver.requests.length).toBe(1);
  });

  test('when the name has changed to another allowed address, to which a new connection is opened', async () => {
    const receiver = await startAnswering(network.identity, OK);
    const moved = await startAnswering(network.identity, OK, ALLOWED_TOO, receiver.port);
    const outbound = network.outbound();
    await outbound.makeAttempt(...event(receiver));
    network.names.zone.set(HOST, { a: [ALLOWED_TOO] });
    await outbound.makeAttempt(...event(receiver));
    expect([receiver.requests.length, moved.requests.length]).toEqual([1, 1]);
  });
});

test('a request on a reused connection that breaks fails without a second send, and its key reuses no connection again', async () => {
  const receiver = await startAnswering(network.identity, (_, index, socket) => {
    if (index === 0) return OK;
    socket.destroy();
    return undefined;
  });
  const outbound = network.outbound();
  expect((await outbound.makeAttempt(...event(receiver))).status).toBe(200);
  expect((await outbound.makeAttempt(...event(receiver))).error?.code).toBe('connection_closed');
  expect(receiver.requests.length).toBe(2);
  for (let index = 0; index < 3; index += 1) expect((await outbound.makeAttempt(...event(receiver))).status).toBe(200);
  expect(receiver.connections()).toBe(4);
});

test('a connection stays open after its invocation, but for at most thirty seconds', async () => {
  let laterMs = 0;
  const receiver = await startAnswering(network.identity, OK);
  const outbound = network.outbound({ clock: { ...clock, wallTime: () => 1e12 + laterMs } });
  const invocation = async () => {
    const ended = new AbortController();
    expect((await outbound.makeAttempt(...event(receiver), ended.signal)).status).toBe(200);
    ended.abort();
  };
  await invocation();
  // It is idle for less than a second each time, until a request on it could end after thirty seconds.
  for (; laterMs <= 24_500; laterMs += 700) await invocation();
  expect(receiver.connections()).toBe(1);
  laterMs = 25_000;
  await invocation();
  expect(receiver.connections()).toBe(2);
});

test('at most a hundred connections of a process are idle, and the oldest is closed first', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const outbound = network.outbound();
  for (let action = 0; action < 104; action += 8) {
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => outbound.makeAttempt(...event(receiver, `action-${action + i}`))),
    );
  }
  await until(() => receiver.open() <= 100);
  outbound.close();
  expect(await staysOpen(receiver)).toBe(0);
});

describe('a DNS lookup', () => {
  const queries = () => network.names.queries.length;

  test('is cached for its time to live, at most five seconds, including frozen time', async () => {
    for (const [ttl, keptMs] of [
      [2, 2000],
      [3600, 5000],
      [0, 0],
    ] as const) {
      let laterMs = 0;
      const receiver = await startAnswering(network.identity, OK);
      const outbound = network.outbound({ clock: { ...clock, wallTime: () => 1e12 + laterMs } });
      network.names.zone.set(HOST, { a: [ALLOWED], ttl });
      const asks = async () => {
        const before = queries();
        expect((await outbound.makeAttempt(post(receiver.port))).status).toBe(200);
        return queries() - before;
      };
      expect(await asks()).toBe(2);
      if (keptMs > 0) {
        laterMs = keptMs - 1;
        expect(await asks()).toBe(0);
      }
      laterMs = keptMs;
      expect(await asks()).toBe(2);
      laterMs = -60_000;
      expect(await asks()).toBe(2);
    }
  });

  test('that is cached is checked like any other, and failures are not cached', async () => {
    const receiver = await startAnswering(network.identity, OK);
    const refused = new Set<string>();
    const outbound = network.outbound({
      networkRule: {
        ...network.rule,
        addressProblem: (address) => (refused.has(address) ? 'refused' : network.rule.addressProblem(address)),
      },
    });
    network.names.zone.delete(HOST);
    expect((await outbound.makeAttempt(...event(receiver))).error?.code).toBe('dns_failure');
    network.names.zone.set(HOST, { a: [ALLOWED], ttl: 60 });
    expect((await outbound.makeAttempt(...event(receiver))).status).toBe(200);
    refused.add(ALLOWED);
    expect((await outbound.makeAttempt(...event(receiver))).error?.code).toBe('blocked_address');
    expect(receiver.requests).toHaveLength(1);
  });
});

test('close() closes idle connections, and deliver can still be used', async () => {
  const receiver = await startAnswering(network.identity, OK);
  const outbound = network.outbound();
  await Promise.all(Array.from({ length: 20 }, () => outbound.makeAttempt(...event(receiver))));
  outbound.close();
  expect(await staysOpen(receiver)).toBe(0);
  expect((await outbound.makeAttempt(...event(receiver))).status).toBe(200);
  outbound.close();
});
