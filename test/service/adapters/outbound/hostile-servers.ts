import { createCipheriv, createHmac, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { type Authority, untrustedChain } from './authority.ts';
import { type Receiver, startAnswering, startTcp, startTls } from './receiver.ts';
import { HOST, OK } from './test-network.ts';

/** A server that costs the sender as much as it can. */
export type HostileServer = {
  readonly name: string;
  readonly start: (authority: Authority) => Promise<Receiver>;
};

const HEAD = 'HTTP/1.1 200 OK\r\n';
const MB = 1024 * 1024;

const SPACES = `X: a${' '.repeat(16_000)}x\r\n`;
const BODY_IN_PIECES: readonly string[] = Array.from({ length: 1000 }, () => 'x');

/** Answers whose headers are full of white space, by what reads it, in the pieces in which they are sent. */
export const HEADS_OF_SPACES = {
  'a malformed head of 60 KB of spaces, and its body byte by byte': [
    `${HEAD}X: a${' '.repeat(60_000)}x\r\n y\r\nContent-Length: 1000\r\n\r\n`,
    ...BODY_IN_PIECES,
  ],
  'a malformed head of as many spaces as are read, and its body byte by byte': [
    `${HEAD}${SPACES}${SPACES} y\r\nContent-Length: 1000\r\n\r\n`,
    ...BODY_IN_PIECES,
  ],
  'a Content-Type of 16 KB of spaces': [
    `${HEAD}Content-Type: ${'\u00a0'.repeat(16_000)}x\r\nContent-Length: 2\r\n\r\nok`,
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

function startPieces(authority: Authority, pieces: readonly string[]) {
  return startTls(authority.issue([HOST]), async (socket, requests) => {
    for await (const _ of requests) {
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        await nextTurn();
      }
    }
  });
}

/** Writes one piece after another, as fast as they are read, and lets others have their turn. */
function pour(socket: Socket, piece: () => Uint8Array) {
  const more = () => {
    for (let count = 0; count < 100 && !socket.destroyed; count += 1) socket.write(piece());
    if (socket.writableNeedDrain) socket.once('drain', more);
    else if (!socket.destroyed) setImmediate(more);
  };
  more();
}

/** A Diffie-Hellman group of this size (PKCS #3). Its modulus is no prime, which nobody checks. */
function groupOf(bits: number): string {
  const modulus = randomBytes(bits / 8);
  modulus[0] = 0xff;
  modulus[modulus.length - 1] = 0xff;
  const length = (of: number) => Buffer.from([0x82, of >> 8, of & 255]);
  const content = Buffer.concat([
    Buffer.from([0x02]),
    length(modulus.length + 1),
    Buffer.from([0]),
    modulus,
    Buffer.from([0x02, 0x01, 0x02]),
  ]);
  const text = Buffer.concat([Buffer.from([0x30]), length(content.length), content]).toString('base64');
  return `-----BEGIN DH PARAMETERS-----\n${text.replace(/.{64}/g, '$&\n')}\n-----END DH PARAMETERS-----\n`;
}

function startLargeGroup(authority: Authority) {
  const identity = authority.issue([HOST], undefined, generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256';
  return startAnswering({ ...identity, dhparam: groupOf(10_000), ciphers, maxVersion: 'TLSv1.2' }, OK);
}

function startLargeExponents() {
  const ordinary = generateKeyPairSync('rsa', { modulusLength: 3072 });
  const exponent = randomBytes(384);
  exponent[0] = 0x7f;
  exponent[383] = 0xff;
  const { n = '' } = ordinary.publicKey.export({ format: 'jwk' });
  const key = createPublicKey({ format: 'jwk', key: { kty: 'RSA', n, e: exponent.toString('base64url') } });
  return startAnswering(untrustedChain([HOST], 70, key, ordinary.privateKey), OK);
}

function startSlowCurves(length: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'sect571r1' });
  return startAnswering(untrustedChain([HOST], length, publicKey, privateKey), OK);
}

/** Counts the handshakes that follow the first one. */
export async function startRenegotiating(authority: Authority) {
  let again = 0;
  const renegotiate = (socket: TLSSocket) => {
    socket.renegotiate({}, (error) => {
      if (error !== null || socket.destroyed) return;
      again += 1;
      setImmediate(renegotiate, socket);
    });
  };
  const options = { ...authority.issue([HOST]), maxVersion: 'TLSv1.2' } as const;
  const receiver = await startTls(options, (socket) => renegotiate(socket.resume()));
  return { ...receiver, renegotiations: () => again };
}

function startSmallChunks(authority: Authority) {
  const answer = `${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(MB)}0\r\n\r\n`;
  return startAnswering(authority.issue([HOST]), answer);
}

const expand = (secret: Buffer, label: string, length: number) => {
  const text = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, text.length]), text, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
};

/** A session ticket (RFC 8446, 4.6.1) of some bytes: lifetime, age, nonce, ticket, extensions. */
function ticketOf(bytes: number): Buffer {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return Buffer.from(
    `04${hex(13 + bytes, 6)}${'00000e10'}${'00000000'}${'00'}${hex(bytes, 4)}${'78'.repeat(bytes)}${'0000'}`,
    'hex',
  );
}
const TICKET = ticketOf(1);

/** What a record holds (RFC 8446, 5.1). */
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;

type TlsRecord = readonly [type: number, content: Buffer];

/**
 * Sends some records, and one again and again. Node's server joins what it writes and sends two tickets only, so this encrypts its own
 * records (RFC 8446, 5.2) with the key of the connection.
 */
function startRecords(authority: Authority, records: readonly TlsRecord[], endless?: TlsRecord, host = HOST) {
  const identity = authority.issue([host]);
  return startTcp((tcp) => {
    let secret = Buffer.alloc(0);
    // The server has sent two records with tickets of its own.
    let sequence = 2;
    const socket = new TLSSocket(tcp, {
      isServer: true,
      ...identity,
      ciphers: 'TLS_AES_128_GCM_SHA256',
      minVersion: 'TLSv1.3',
    });
    socket.on('error', () => undefined);
    socket.on('keylog', (line: Buffer) => {
      const [label, , hex = ''] = line.toString().trim().split(' ');
      if (label === 'SERVER_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex');
    });
    const record = ([type, content]: TlsRecord) => {
      const inner = Buffer.concat([content, Buffer.from([type])]);
      const nonce = expand(secret, 'iv', 12);
      nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8);
      sequence += 1;
      const head = Buffer.from([APPLICATION_DATA, 3, 3, (inner.length + 16) >> 8, (inner.length + 16) & 255]);
      const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(head);
      return Buffer.concat([head, cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
    };
    socket.once('data', () => {
      // The server's own records leave before this.
      setImmediate(() => {
        for (const one of records) tcp.write(record(one));
        if (endless !== undefined) pour(tcp, () => record(endless));
      });
    });
  });
}

/** Sends a session ticket of this size before it answers, so that a client with the answer has the ticket. */
export const startTickets = (authority: Authority, bytes: number, host: string) =>
  startRecords(
    authority,
    [
      [HANDSHAKE, ticketOf(bytes)],
      [APPLICATION_DATA, Buffer.from(OK)],
    ],
    undefined,
    host,
  );

export const HOSTILE_SERVERS: readonly HostileServer[] = [
  { name: 'a Diffie-Hellman group of 10 000 bits', start: startLargeGroup },
  { name: '70 untrusted certificates with RSA exponents of 3 071 bits', start: startLargeExponents },
  { name: '95 untrusted certificates on the curve sect571r1', start: () => startSlowCurves(95) },
  { name: 'endless renegotiation of TLS 1.2', start: startRenegotiating },
  { name: '1 MB of response in chunks of a byte', start: startSmallChunks },
  {
    name: '1 MB of response in TLS records of a byte',
    start: (authority) =>
      startRecords(
        authority,
        [[APPLICATION_DATA, Buffer.from(`${HEAD}Content-Length: ${MB}\r\n\r\n`)]],
        [APPLICATION_DATA, Buffer.from('x')],
      ),
  },
  {
    name: 'endless session tickets',
    start: (authority) =>
      startRecords(authority, [], [HANDSHAKE, Buffer.concat(Array.from({ length: 800 }, () => TICKET))]),
  },
  ...Object.entries(HEADS_OF_SPACES).map(([name, pieces]) => {
    return { name, start: (authority: Authority) => startPieces(authority, pieces) };
  }),
];

/** The most that a handshake may still cost: as many of the slowest signatures as fit into the bytes that are read. */
export const LONGEST_CHAIN: HostileServer = {
  name: '20 untrusted certificates on the curve sect571r1, which are all read',
  start: () => startSlowCurves(20),
};
