import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomically } from './cloud/data-folder.ts';

const DAY_MS = 24 * 3600 * 1000;
const VALID_DAYS = 365;
const RENEW_DAYS_BEFORE = 30;

/** The certificate of this machine's receivers with its key, in PEM, and their files. */
export type ReceiverCertificate = ReturnType<typeof receiverCertificate>;

/**
 * Reads the certificate of this machine's receivers from `folder`, or makes it when it is missing, damaged, of another key or valid for less
 * than a month. It is for `localhost` and 127.0.0.1 only, and can sign no other. The functions must trust it from their first request on, so
 * this comes before the service starts.
 */
export function receiverCertificate(folder: string) {
  const certificateFile = join(folder, 'receiver.pem');
  const keyFile = join(folder, 'receiver.key');
  if (!isValid(certificateFile, keyFile)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = 'va-wave local receiver';
    // A day ago, for a program whose clock is behind.
    const notBefore = new Date(Date.now() - DAY_MS);
    const notAfter = new Date(Date.now() + VALID_DAYS * DAY_MS);
    const hosts = ['localhost', '127.0.0.1'];
    const signed = { subject: name, publicKey, issuer: name, issuerKey: privateKey, notBefore, notAfter, hosts };
    writeFileAtomically(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    writeFileAtomically(certificateFile, signCertificate(signed));
  }
  const [certificate, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  return { certificateFile, keyFile, certificate, key };
}

function isValid(certificateFile: string, keyFile: string): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(certificateFile));
    const isOfKey = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return isOfKey && Date.parse(certificate.validTo) - Date.now() > RENEW_DAYS_BEFORE * DAY_MS;
  } catch {
    return false;
  }
}

// The little of X.509 that a server certificate needs (RFC 5280), and an authority and RSA keys, which only tests use.

export type Certificate = {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Names and IPv4 addresses of a TLS server. Without them, the certificate is an authority's, which signs no further authorities. */
  readonly hosts?: readonly string[];
};

// The tags of types in DER, then those of two parts of a certificate and of two kinds of names.
const [INTEGER, BIT_STRING, OCTET_STRING, NULL, OBJECT_IDENTIFIER] = [0x02, 0x03, 0x04, 0x05, 0x06];
const [UTF8_STRING, UTC_TIME, SEQUENCE, SET] = [0x0c, 0x17, 0x30, 0x31];
const [VERSION, EXTENSIONS, DNS_NAME, IP_ADDRESS] = [0xa0, 0xa3, 0x82, 0x87];
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

// Object identifiers, encoded, in hex.
const [RSA_WITH_SHA256, ECDSA_WITH_SHA256] = ['2a864886f70d01010b', '2a8648ce3d040302'];
const [BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE, ALTERNATIVE_NAMES] = ['551d13', '551d0f', '551d25', '551d11'];
const [COMMON_NAME, SERVER_AUTHENTICATION] = ['550403', '2b06010505070301'];
// A bit string begins with the number of unused bits at its end. The bits of the other two are key usages.
const NO_UNUSED_BITS = Buffer.from([0]);
const [SIGNS_CERTIFICATES, SIGNS_DATA] = [Buffer.from([2, 0x04]), Buffer.from([7, 0x80])];

export function signCertificate(certificate: Certificate): string {
  const isRsa = certificate.issuerKey.asymmetricKeyType === 'rsa';
  const algorithm = isRsa ? sequence(oid(RSA_WITH_SHA256), der(NULL)) : sequence(oid(ECDSA_WITH_SHA256));
  const content = sequence(
    // X.509 version 3, which counts from 0, and a serial number, whose first byte keeps it positive.
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    distinguishedName(certificate.issuer),
    sequence(utcTime(certificate.notBefore), utcTime(certificate.notAfter)),
    distinguishedName(certificate.subject),
    certificate.publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, sequence(...extensionsFor(certificate.hosts))),
  );
  const signature = der(BIT_STRING, NO_UNUSED_BITS, sign('sha256', content, certificate.issuerKey));
  const lines =
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensionsFor(hosts: Certificate['hosts']): readonly Buffer[] {
  if (hosts === undefined) {
    return [
      extension(BASIC_CONSTRAINTS, sequence(TRUE, der(INTEGER, Buffer.from([0])))),
      extension(KEY_USAGE, der(BIT_STRING, SIGNS_CERTIFICATES)),
    ];
  }
  const names = hosts.map((host) =>
    isIP(host) === 4 ? der(IP_ADDRESS, Buffer.from(host.split('.').map(Number))) : der(DNS_NAME, Buffer.from(host)),
  );
  return [
    extension(BASIC_CONSTRAINTS, sequence()),
    extension(KEY_USAGE, der(BIT_STRING, SIGNS_DATA)),
    extension(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTHENTICATION))),
    extension(ALTERNATIVE_NAMES, sequence(...names)),
  ];
}

/** One value in DER: its tag, its length in one to three bytes, and its content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(SEQUENCE, ...parts);
const oid = (hex: string) => der(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'));
const distinguishedName = (commonName: string) =>
  sequence(der(SET, sequence(oid(COMMON_NAME), der(UTF8_STRING, Buffer.from(commonName)))));
const utcTime = (date: Date) => der(UTC_TIME, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
/** A critical extension: whoever does not know it refuses the certificate. */
const extension = (id: string, value: Uint8Array) => sequence(oid(id), TRUE, der(OCTET_STRING, value));
