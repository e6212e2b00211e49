import { createDecipheriv, createHmac } from 'node:crypto';

/** Contents of a record (RFC 8446, 5.1), and messages of a handshake (4). */
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const SERVER_HELLO = 2;
const CERTIFICATE_REQUEST = 13;
const RECORD_HEADER_BYTES = 5;
const MESSAGE_HEADER_BYTES = 4;
const AUTHENTICATION_TAG_BYTES = 16;
/** Where a ServerHello has the length of the session id, which the cipher suite follows. Before it are version and random. */
const SESSION_ID_AT = MESSAGE_HEADER_BYTES + 2 + 32;

/** The cipher suites of TLS 1.3 that the service offers (CIPHERS in connect.ts), by their numbers (RFC 8446, B.4). */
const SUITES: ReadonlyMap<number, { readonly cipher: string; readonly hash: string; readonly keyBytes: number }> =
  new Map([
    [0x1301, { cipher: 'aes-128-gcm', hash: 'sha256', keyBytes: 16 }],
    [0x1302, { cipher: 'aes-256-gcm', hash: 'sha384', keyBytes: 32 }],
    [0x1303, { cipher: 'chacha20-poly1305', hash: 'sha256', keyBytes: 32 }],
  ]);

/**
 * Returns how many bytes the server's request for a client certificate has, or announces. Most of them name the authorities that it accepts,
 * and a handshake may be longer by this number (metered-stream.ts). Returns 0 when there is no request so far. OpenSSL reports a request only
 * when all of it has arrived. Nothing is verified here, because OpenSSL does: a server that sends something else only ends its own handshake.
 *
 * @param handshakeBytes the bytes of the handshake so far; the last record may be incomplete
 * @param secret of the server's handshake, which encrypts the request in TLS 1.3
 */
export function certificateRequestBytes(handshakeBytes: Buffer, secret: Buffer | undefined): number {
  const contents: Buffer[] = [];
  let decrypt: ReturnType<typeof recordDecryption> | undefined;
  for (let at = 0; at + RECORD_HEADER_BYTES <= handshakeBytes.length; ) {
    const type = handshakeBytes[at];
    const start = at + RECORD_HEADER_BYTES;
    at = start + handshakeBytes.readUInt16BE(start - 2);
    const content = handshakeBytes.subarray(start, at);
    if (type === HANDSHAKE) contents.push(content);
    if (type === APPLICATION_DATA && secret !== undefined) {
      // The ServerHello comes before all encrypted records.
      decrypt ??= recordDecryption(Buffer.concat(contents), secret);
      contents.push(decrypt(content, { isWhole: at <= handshakeBytes.length }));
    }
  }
  return messageIn(Buffer.concat(contents), CERTIFICATE_REQUEST)?.bytes ?? 0;
}

/** Finds the first message of a type: where it begins, and how many bytes it has or announces. */
function messageIn(messages: Buffer, type: number): { readonly at: number; readonly bytes: number } | undefined {
  for (let at = 0; at + MESSAGE_HEADER_BYTES <= messages.length; ) {
    const bytes = MESSAGE_HEADER_BYTES + messages.readUIntBE(at + 1, 3);
    if (messages[at] === type) return { at, bytes };
    at += bytes;
  }
  return undefined;
}

/**
 * Creates the decryption of the handshake's records, in their order (RFC 8446, 5.2 and 7.3), with the suite of the ServerHello in `messages`.
 * Without a suite that the service offers, every record is empty.
 */
function recordDecryption(messages: Buffer, secret: Buffer) {
  const hello = messages.subarray(messageIn(messages, SERVER_HELLO)?.at ?? messages.length);
  const suiteAt = SESSION_ID_AT + 1 + (hello[SESSION_ID_AT] ?? 0);
  const suite = suiteAt + 2 > hello.length ? undefined : SUITES.get(hello.readUInt16BE(suiteAt));
  if (suite === undefined) return () => Buffer.alloc(0);
  const hkdfExpandLabel = (label: string, length: number) => {
    const text = Buffer.from(`tls13 ${label}`);
    const info = Buffer.concat([Buffer.from([0, length, text.length]), text, Buffer.from([0, 1])]);
    return createHmac(suite.hash, secret).update(info).digest().subarray(0, length);
  };
  const key = hkdfExpandLabel('key', suite.keyBytes);
  const iv = hkdfExpandLabel('iv', 12);
  let recordNumber = 0;
  return (content: Buffer, { isWhole }: { readonly isWhole: boolean }): Buffer => {
    const nonce = Buffer.from(iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ recordNumber++) >>> 0, 8);
    const plain = createDecipheriv(suite.cipher, key, nonce).update(content);
    if (!isWhole) return plain;
    // Zeros may follow the type of the content, which follows the content.
    let end = plain.length - AUTHENTICATION_TAG_BYTES;
    while (end > 0 && plain[end - 1] === 0) end -= 1;
    return plain.subarray(0, Math.max(0, end - 1));
  };
}
