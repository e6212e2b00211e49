import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { namesakeOfAuthority, untrustedChain } from './authority.ts';
import { HOSTILE_SERVERS, startRenegotiating } from './hostile-servers.ts';
import { type Receiver, startAnswering, staysOpen } from './receiver.ts';
import { HOST, networkOfFile, OK, post } from './test-network.ts';

const LARGE_KEYS = generateKeyPairSync('rsa', { modulusLength: 4096 });

const network = await networkOfFile();

async function start(name: string): Promise<Receiver> {
  const server = HOSTILE_SERVERS.find((one) => one.name.includes(name));
  if (server === undefined) throw new Error(`There is no hostile server ${name}`);
  return server.start(network.authority);
}

const EVENT_POLICY = { connectionKey: 'action-1', keepBytes: 8000 };

/** Delivers like the dispatcher. The attempt must end before its deadline, and leave no connection open. */
async function event(receiver: Receiver) {
  const outbound = network.outbound();
  const outcome = await outbound.makeAttempt(post(receiver.port), EVENT_POLICY);
  expect(outcome.error?.code).not.toBe('timeout');
  return outcome;
}

test('a server that has only Diffie-Hellman groups of its own agrees on no cipher, although its certificate is trusted', async () => {
  expect((await event(await start('Diffie-Hellman'))).error?.code).toBe('tls_failure');
});

test.each(['RSA exponents', 'sect571r1'])('certificates without end (%s) are not read', async (name) => {
  expect((await event(await start(name))).error).toEqual({
    code: 'tls_failure',
    message: `${HOST} sent more than 12 KB to negotiate TLS`,
  });
});

test('a chain of usual length is read, and the message names what is wrong with it', async () => {
  const receiver = await startAnswering(untrustedChain([HOST], 4, LARGE_KEYS.publicKey, LARGE_KEYS.privateKey), OK);
  expect((await event(receiver)).error?.message).not.toContain('12 KB');
});

test('a trusted certificate is accepted in a chain of 10 KB', async () => {
  const more = untrustedChain([HOST], 6, LARGE_KEYS.publicKey, LARGE_KEYS.privateKey).cert;
  const receiver = await startAnswering({ ...network.identity, cert: network.identity.cert + more }, OK);
  expect(await event(receiver)).toMatchObject({ status: 200, error: null });
});

const ec = (namedCurve: string, paramEncoding: 'named' | 'explicit' = 'named') =>
  generateKeyPairSync('ec', { namedCurve, paramEncoding });

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('in %s, a key that Node cannot name', (maxVersion) => {
  test.each<[string, KeyObject]>([
    ...['secp256k1', 'brainpoolP256r1', 'brainpoolP512t1', 'sect571r1', 'SM2', 'P-521'].map(
      (curve): [string, KeyObject] => [curve, ec(curve).publicKey],
    ),
    ['P-256 with explicit parameters', ec('P-256', 'explicit').publicKey],
    ['secp256k1 with explicit parameters', ec('secp256k1', 'explicit').publicKey],
    ['Ed448', generateKeyPairSync('ed448').publicKey],
    ['ML-DSA', generateKeyPairSync('ml-dsa-44').publicKey],
  ])('is appended to the chain and does not end the process: %s', async (_, key) => {
    const cert = network.identity.cert + namesakeOfAuthority(key);
    const receiver = await startAnswering({ ...network.identity, cert, maxVersion }, OK);
    expect(await event(receiver)).toMatchObject({ status: 200, error: null });
  });
});

test('a certificate whose own key Node cannot name does not end the process', async () => {
  const identity = network.authority.issue([HOST], undefined, ec('brainpoolP256r1'));
  const receiver = await startAnswering({ ...identity, ecdhCurve: 'auto' }, OK);
  expect(await event(receiver)).toMatchObject({ status: 200, error: null });
});

test('no handshake follows the first one', async () => {
  const receiver = await startRenegotiating(network.authority);
  expect((await event(receiver)).error?.code).toBe('connection_closed');
  expect(receiver.renegotiations()).toBe(0);
});

test.each([
  ['TLS 1.2 with ECDSA', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }],
  ['TLS 1.2 with CBC', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' }],
  ['TLS 1.3 with ChaCha20', { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }],
  ['TLS 1.3 without the preferred curve', { ecdhCurve: 'P-384' }],
] as const)('%s is spoken', async (_, options) => {
  const receiver = await startAnswering({ ...network.identity, ...options }, OK);
  expect(await event(receiver)).toMatchObject({ status: 200, error: null });
});

describe('a response in very small pieces is not read to its end', () => {
  test('for an Event delivery, which gives up the connection and succeeds', async () => {
    const receiver = await start('chunks of a byte');
    expect(await event(receiver)).toMatchObject({ status: 200, error: null });
    expect(await staysOpen(receiver)).toBe(0);
  });

  test('for a caller that needs it, who learns that it is incomplete', async () => {
    const receiver = await start('chunks of a byte');
    const outcome = await network.outbound().makeAttempt(post(receiver.port));
    const error = { code: 'response_malformed', message: 'The response came in too many pieces' };
    expect(outcome).toMatchObject({ status: 200, success: true, error });
    expect(outcome.text?.length).toBe(10_000);
  });

  test('when each piece is a TLS record', async () => {
    expect(await event(await start('records of a byte'))).toMatchObject({ success: true, error: {} });
  });
});

test('more than 64 KB that nobody keeps are not read for the sake of the connection', async () => {
  const answer = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`;
  const open = async (bytes: number) => {
    const receiver = await startAnswering(network.identity, answer(bytes));
    const outbound = network.outbound();
    for (let index = 0; index < 2; index += 1) {
      expect(await outbound.makeAttempt(post(receiver.port), EVENT_POLICY)).toMatchObject({ status: 200, error: null });
    }
    return receiver.connections();
  };
  expect([await open(70_000), await open(90_000)]).toEqual([1, 2]);
});

test('session tickets without end are not read', async () => {
  expect((await event(await start('session tickets'))).error?.code).toBe('response_malformed');
});
