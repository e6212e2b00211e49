import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates, type TlsOptions } from 'node:tls';
import { TLS_ALERTS } from '../../../../src/adapters/outbound/peer-failure.ts';
import { authorities, untrustedChain } from './authority.ts';
import { startAnswering, startTcp, startTls } from './receiver.ts';
import { HOST, networkOfFile, OK, post } from './test-network.ts';

const network = await networkOfFile();
const outbound = network.outbound();
const deliver = (port: number) => outbound.makeAttempt(post(port));

/** The error alerts of RFC 8446, section 6, with those of RFC 5246. */
const ALERTS = [
  ...[10, 20, 21, 22, 30, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 80, 86, 90],
  ...[100, 109, 110, 111, 112, 113, 114, 115, 116, 120],
];

test.each(ALERTS)('the alert %i has its name and its advice', async (alert) => {
  const answer = Buffer.from([21, 3, 3, 0, 2, 2, alert]);
  const receiver = await startTcp((socket) => socket.once('data', () => socket.end(answer)));
  const [name = '', words = ''] = TLS_ALERTS.get(alert) ?? [];
  expect(words).not.toBe('');
  expect(await deliver(receiver.port)).toMatchObject({
    status: null,
    error: { code: 'tls_failure', message: `${HOST} ended TLS with the alert ${name}: ${words}` },
  });
});

test('a server that does not speak TLS is told from one that speaks an older version', async () => {
  const plain = await startTcp((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect((await deliver(plain.port)).error?.message).toContain('did not answer in TLS');
  const old = await startAnswering(
    { ...network.identity, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    OK,
  );
  expect((await deliver(old.port)).error?.message).toContain('neither TLS 1.2 nor TLS 1.3');
});

const rsa1024 = generateKeyPairSync('rsa', { modulusLength: 1024 });

test.each([
  ['a weak key', 'is refused: EE certificate key too weak', () => network.authority.issue([HOST], undefined, rsa1024)],
  ['another purpose', 'is not for a TLS server', () => network.authority.issue(undefined)],
])('a trusted certificate with %s', async (_, words, identity) => {
  const receiver = await startAnswering({ ...identity(), ciphers: 'ALL:@SECLEVEL=0' }, OK);
  const message = expect.stringContaining(`The certificate of ${HOST} ${words}`);
  expect((await deliver(receiver.port)).error).toEqual({ code: 'tls_failure', message });
});

test('a server without secure renegotiation', async () => {
  // A ServerHello of TLS 1.2 without extensions (RFC 5246, 7.4.1.3).
  const hello = Buffer.from([22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3, ...Buffer.alloc(33), 0xc0, 0x2f, 0]);
  const receiver = await startTcp((socket) => socket.once('data', () => socket.end(hello)));
  expect((await deliver(receiver.port)).error?.message).toContain('secure renegotiation');
});

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('in %s', (maxVersion) => {
  const asking = (more: TlsOptions = {}): TlsOptions => ({
    ...network.identity,
    maxVersion,
    requestCert: true,
    rejectUnauthorized: false,
    ca: network.authority.pem,
    ...more,
  });

  test('a required client certificate is named, whether the server sends an alert or closes', async () => {
    const required = await startAnswering(asking({ rejectUnauthorized: true }), OK);
    const closing = await startTls(asking(), (socket) => socket.destroy());
    const onRequest = await startTls(asking(), (socket) => socket.once('data', () => socket.destroy()));
    for (const { port } of [required, closing, onRequest]) {
      const { error } = await deliver(port);
      expect(error).toMatchObject({
        code: 'tls_failure',
        message: expect.stringContaining('requires a client certificate'),
      });
    }
  });

  test('a connection that breaks later, or without such a request, is not about certificates', async () => {
    const unasked = await startTls({ ...network.identity, maxVersion }, (socket) =>
      socket.once('data', () => socket.destroy()),
    );
    const later = await startTls(asking(), (socket) => socket.once('data', () => socket.end('HTTP/1.1 2')));
    for (const { port } of [unasked, later]) expect((await deliver(port)).error?.code).toBe('connection_closed');
    const kept = await startAnswering(asking(), (_, index, socket) => (index === 0 ? OK : void socket.destroy()));
    const again = () => outbound.makeAttempt(post(kept.port), { connectionKey: 'action-1' });
    expect((await again()).status).toBe(200);
    expect((await again()).error?.code).toBe('connection_closed');
  });

  test.each(['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])(
    'a server that names all public authorities for an optional certificate is reached with %s',
    async (suite) => {
      const ciphers = maxVersion === 'TLSv1.3' ? suite : 'ECDHE-ECDSA-AES128-GCM-SHA256';
      const receiver = await startAnswering(asking({ ca: [...rootCertificates], ciphers }), OK);
      expect(await deliver(receiver.port)).toMatchObject({ status: 200, error: null });
    },
  );

  test('neither more than 48 KB of authorities nor more than 12 KB of certificates are read then', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
    const chain = untrustedChain([HOST], 12, publicKey, privateKey);
    for (const options of [asking({ ca: authorities(280, 200) }), asking({ ...chain, ca: [...rootCertificates] })]) {
      const receiver = await startAnswering(options, OK);
      expect((await deliver(receiver.port)).error?.message).toContain('more than 12 KB to negotiate TLS');
    }
  });
});
