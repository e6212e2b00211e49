import { startAttempt } from '../../../../src/adapters/outbound/attempt.ts';
import { createResolve, parseEndpoint } from '../../../../src/adapters/outbound/endpoint.ts';
import { InvocationEnded } from '../../../../src/domain/delivery/outbound-request.ts';
import { startAnswering, startTcp, stopReceivers } from './receiver.ts';
import {
  ALLOWED,
  ALLOWED_TOO,
  BLOCKED,
  createTestNetwork,
  endedByDeadline,
  HOST,
  LONG_MS,
  OK,
  post,
} from './test-network.ts';

const network = await createTestNetwork();
const receiver = await startAnswering(network.identity, OK);
const canary = await startTcp(() => undefined, BLOCKED, receiver.port);
afterEach(() => void network.names.zone.set(HOST, { a: [ALLOWED] }));
afterAll(async () => {
  await stopReceivers();
  await network.stop();
  expect(canary.connections()).toBe(0);
});

const PUBLIC_V6 = '2606:4700:4700::1111';
const codeFor = async (host: string) =>
  (await network.outbound().makeAttempt(post(receiver.port, { url: `https://${host}:${receiver.port}/` }))).error?.code;

test.each([
  ['that is blocked', { a: [BLOCKED] }],
  ['that is blocked, after an allowed one,', { a: [ALLOWED, BLOCKED] }],
  ['that is blocked, before an allowed one,', { a: [BLOCKED, ALLOWED] }],
  ['that is a blocked IPv6 address next to an allowed IPv4 address', { a: [ALLOWED], aaaa: ['::1'] }],
  ['that is a blocked IPv4 address next to an allowed IPv6 address', { a: [BLOCKED], aaaa: [PUBLIC_V6] }],
  ['that is IPv4-mapped IPv6', { aaaa: ['::ffff:127.0.0.66'] }],
  [
    'that is blocked at the end of a chain of aliases',
    { a: [BLOCKED], aliases: ['b.customer.com', 'c.customer.com', 'd.customer.com'] },
  ],
  ['that is blocked and the last of a thousand', { a: [...Array<string>(1000).fill(ALLOWED), BLOCKED] }],
])('an address %s refuses the delivery', async (_, records) => {
  network.names.zone.set('mixed.customer.com', records);
  expect(await codeFor('mixed.customer.com')).toBe('blocked_address');
});

test('a name that changes to a blocked address between two attempts is refused at the second', async () => {
  const outbound = network.outbound();
  expect((await outbound.makeAttempt(post(receiver.port))).status).toBe(200);
  network.names.zone.set(HOST, { a: [BLOCKED] });
  expect((await outbound.makeAttempt(post(receiver.port))).error?.code).toBe('blocked_address');
});

test('a name is resolved once per attempt, so that the checked address is the connected one', async () => {
  let asked = 0;
  network.names.zone.set(HOST, () => (asked++ < 2 ? { a: [ALLOWED] } : { a: [BLOCKED] }));
  expect((await network.outbound().makeAttempt(post(receiver.port))).status).toBe(200);
  expect(asked).toBe(2);
});

test('a peer whose address differs from the checked one is refused before a byte is sent', async () => {
  let checks = 0;
  const addressProblem = (address: string) => (checks++ === 0 ? undefined : network.rule.addressProblem(address));
  const elsewhere = await startTcp((socket) => socket.on('data', () => expect('a byte').toBe('none')), '127.0.0.67');
  network.names.zone.set('elsewhere.customer.com', { a: ['127.0.0.67'] });
  const outbound = network.outbound({ networkRule: { ...network.rule, addressProblem } });
  const url = `https://elsewhere.customer.com:${elsewhere.port}/`;
  expect((await outbound.makeAttempt(post(0, { url }))).error?.code).toBe('blocked_address');
});

test('an attempt that has ended asks no name server', async () => {
  const asked: string[] = [];
  const ask = async (host: string) => {
    asked.push(host);
    return [{ address: ALLOWED, ttl: 1 }];
  };
  const createResolver = () => ({ resolve4: ask, resolve6: ask, cancel: () => undefined });
  const rule = { ...network.rule, createResolver };
  const resolve = createResolve(rule, Date.now);
  const lookUp = (ended?: AbortSignal) => {
    const attempt = startAttempt(LONG_MS, () => performance.now(), ended);
    return resolve(parseEndpoint(`https://${HOST}/`, rule), attempt).finally(attempt.finish);
  };
  await expect(lookUp(AbortSignal.abort())).rejects.toThrow(InvocationEnded);
  expect(asked).toEqual([]);
  expect(await lookUp()).toEqual([ALLOWED, ALLOWED]);
  expect(asked).toEqual([HOST, HOST]);
});

test('aliases are followed to an allowed address', async () => {
  network.names.zone.set(HOST, { a: [ALLOWED], aliases: ['b.customer.com', 'c.customer.com'] });
  expect(await codeFor(HOST)).toBeUndefined();
});

test('a DNS response that is too large for UDP is read over TCP, and few of its addresses are tried', async () => {
  network.names.zone.set(HOST, { a: Array.from({ length: 300 }, () => ALLOWED_TOO) });
  expect(await codeFor(HOST)).toBe('connect_failure');
});

test('the next address is tried when one refuses the connection', async () => {
  network.names.zone.set(HOST, { a: [ALLOWED_TOO, ALLOWED] });
  expect(await codeFor(HOST)).toBeUndefined();
});

test.each([
  ['does not exist', undefined],
  ['has no address', {}],
  ['is refused by its name server', { rcode: 5 }],
])('a name that %s fails with dns_failure', async (_, records) => {
  if (records === undefined) network.names.zone.delete('none.customer.com');
  else network.names.zone.set('none.customer.com', records);
  expect(await codeFor('none.customer.com')).toBe('dns_failure');
});

test('a lookup without a response ends at the deadline', async () => {
  const asked = Promise.withResolvers<void>();
  network.names.zone.set('silent.customer.com', () => {
    asked.resolve();
    return { silent: true };
  });
  const silent = post(0, { url: 'https://silent.customer.com/' });
  const outcome = await endedByDeadline(() => network.outbound().makeAttempt(silent), asked.promise);
  expect(outcome.error).toEqual({
    code: 'timeout',
    message: expect.stringContaining('host name was being resolved'),
  });
});

test('a delivery succeeds when the name server ignores AAAA queries', async () => {
  network.names.zone.set(HOST, { a: [ALLOWED], ignoresAaaa: true });
  expect(await codeFor(HOST)).toBeUndefined();
});

test('slow lookups do not delay another delivery', async () => {
  network.names.zone.set('silent.customer.com', { silent: true });
  const outbound = network.outbound();
  const invocation = new AbortController();
  const silent = post(0, { url: 'https://silent.customer.com/' });
  const slow = Array.from({ length: 50 }, () => outbound.makeAttempt(silent, {}, invocation.signal));
  let slowOnes = 0;
  for (const outcome of slow) outcome.catch(() => slowOnes++);
  expect((await outbound.makeAttempt(post(receiver.port))).status).toBe(200);
  expect(slowOnes).toBe(0);
  invocation.abort();
  for (const outcome of slow) await expect(outcome).rejects.toThrow(InvocationEnded);
});
