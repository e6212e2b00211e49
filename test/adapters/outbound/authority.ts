import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** The certificate and key of a TLS server, as PEM. */
export type Identity = { readonly key: string; readonly cert: string };

export type Validity = { readonly from: Date; readonly to: Date };

export type Authority = {
  readonly pem: string;
  /** @param hosts names and IPv4 addresses that the certificate is for */
  issue(hosts: readonly string[], validity?: Validity): Identity;
};

const DAY = 24 * 3600 * 1000;
const today = (): Validity => ({ from: new Date(Date.now() - DAY), to: new Date(Date.now() + DAY) });

/** Encodes DER: tag, length, value. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const commonName = (name: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Uint8Array) => sequence(oid(id), der(0x04, value));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const AUTHORITY_NAME = commonName('Test authority');
const IS_AUTHORITY = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));

const alternativeNames = (hosts: readonly string[]) =>
  extension(
    '551d11',
    sequence(
      ...hosts.map((host) =>
        isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
      ),
    ),
  );

let serial = 0;

function certificate(
  subject: Uint8Array,
  publicKey: KeyObject,
  issuer: Uint8Array,
  issuerKey: KeyObject,
  validity: Validity,
  extended: Uint8Array,
): string {
  serial += 1;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([0x01, serial])),
    ECDSA_SHA256,
    issuer,
    sequence(time(validity.from), time(validity.to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extended)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, issuerKey));
  const text = sequence(content, ECDSA_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Creates a private certificate authority with a new key. */
export function createAuthority(): Authority {
  const root = newKeys();
  return {
    pem: certificate(AUTHORITY_NAME, root.publicKey, AUTHORITY_NAME, root.privateKey, today(), IS_AUTHORITY),
    issue: (hosts, validity = today()) => {
      const own = newKeys();
      const subject = commonName('Test receiver');
      const cert = certificate(
        subject,
        own.publicKey,
        AUTHORITY_NAME,
        root.privateKey,
        validity,
        alternativeNames(hosts),
      );
      return { key: pemOf(own.privateKey), cert };
    },
  };
}

/** Creates a self-signed certificate. */
export function selfSigned(hosts: readonly string[]): Identity {
  const own = newKeys();
  const name = commonName('Test receiver');
  return {
    key: pemOf(own.privateKey),
    cert: certificate(name, own.publicKey, name, own.privateKey, today(), alternativeNames(hosts)),
  };
}
