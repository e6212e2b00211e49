import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { signCertificate } from '../../../../local/certificates.ts';

/** The certificate and key of a TLS server, as PEM. */
export type Identity = { readonly key: string; readonly cert: string };

export type Validity = { readonly notBefore: Date; readonly notAfter: Date };

export type Authority = {
  readonly pem: string;
  /** @param hosts names and IPv4 addresses that the certificate is for; undefined for that of an authority */
  issue(hosts: readonly string[] | undefined, validity?: Validity, keys?: KeyPairKeyObjectResult): Identity;
};

const DAY = 24 * 3600 * 1000;
const today = (): Validity => ({ notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) });
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** @param issuerKey without it the certificate is self-signed */
function identity(
  hosts: readonly string[] | undefined,
  validity: Validity,
  issuer: string,
  issuerKey?: KeyObject,
  { publicKey, privateKey } = newKeys(),
): Identity {
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: signCertificate({
      issuer,
      issuerKey: issuerKey ?? privateKey,
      ...validity,
      subject: 'Test receiver',
      publicKey,
      ...(hosts && { hosts }),
    }),
  };
}

const AUTHORITY = 'Test authority';

/** Creates a private certificate authority with a new key. */
export function createAuthority(): Authority {
  const { publicKey, privateKey } = newKeys();
  return {
    pem: authorityOf(publicKey, privateKey),
    issue: (hosts, validity = today(), keys = newKeys()) => identity(hosts, validity, AUTHORITY, privateKey, keys),
  };
}

function authorityOf(publicKey: KeyObject, issuerKey: KeyObject): string {
  return signCertificate({ issuer: AUTHORITY, issuerKey, ...today(), subject: AUTHORITY, publicKey });
}

/** Creates a certificate with the name of the authority and another key, which anybody can append to a chain. */
export function namesakeOfAuthority(publicKey: KeyObject): string {
  return authorityOf(publicKey, newKeys().privateKey);
}

/** Creates a self-signed certificate. */
export function selfSigned(hosts: readonly string[]): Identity {
  return identity(hosts, today(), 'Test receiver');
}

/**
 * Creates a chain of certificates that leads to no known authority: one for a server, and `length` above it.
 * @param keys of the authorities. @param issuerKey signs every certificate; its signatures need not be right
 */
export function untrustedChain(
  hosts: readonly string[],
  length: number,
  keys: KeyObject,
  issuerKey: KeyObject,
): Identity {
  const server = identity(hosts, today(), 'Authority 0', issuerKey);
  const above = Array.from({ length }, (_, index) =>
    signCertificate({
      issuer: `Authority ${index + 1}`,
      issuerKey,
      ...today(),
      subject: `Authority ${index}`,
      publicKey: keys,
    }),
  );
  return { ...server, cert: [server.cert, ...above].join('') };
}

/** Creates certificates of so many authorities, whose names have so many characters. Servers that ask for a client certificate name them. */
export function authorities(count: number, characters: number): string {
  const { publicKey, privateKey } = newKeys();
  const certificates = Array.from({ length: count }, (_, index) => {
    const name = String(index).padStart(characters, 'a');
    return signCertificate({ issuer: name, issuerKey: privateKey, ...today(), subject: name, publicKey });
  });
  return certificates.join('');
}
