import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './cloud/state/atomic-file.ts';
import { authorityExtensions, serverExtensions, signCertificate } from './x509.ts';

const DAY_MS = 24 * 3600 * 1000;
const VALID_DAYS = 365;
const RENEW_DAYS_BEFORE = 30;
const AUTHORITY = 'va-wave local authority';

/** The receiver's certificate, and the certificate of the authority that signed it, in PEM. */
export type ReceiverCertificates = {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly certificate: string;
  readonly key: string;
};

/**
 * Reads the certificates of this machine's receivers from `folder`, or makes them. They are for `localhost` and 127.0.0.1 only.
 * The functions must trust the authority from their first request on, so this comes before the service starts.
 */
export function receiverCertificates(folder: string): ReceiverCertificates {
  const files = {
    ca: join(folder, 'ca.pem'),
    certificate: join(folder, 'receiver.pem'),
    key: join(folder, 'receiver.key'),
  };
  if (!usable(Object.values(files), files.certificate)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const made = makeCertificates(Date.now());
    writeFileAtomically(files.key, made.key);
    writeFileAtomically(files.certificate, made.certificate);
    writeFileAtomically(files.ca, made.ca);
  }
  return {
    caFile: files.ca,
    certificateFile: files.certificate,
    keyFile: files.key,
    certificate: readFileSync(files.certificate, 'utf8'),
    key: readFileSync(files.key, 'utf8'),
  };
}

function usable(files: readonly string[], certificate: string): boolean {
  if (!files.every((file) => existsSync(file))) return false;
  const { validTo } = new X509Certificate(readFileSync(certificate));
  return Date.parse(validTo) - Date.now() > RENEW_DAYS_BEFORE * DAY_MS;
}

/** Creates an authority and one certificate. The authority's key is not stored, so it cannot sign another certificate. */
function makeCertificates(now: number): { readonly ca: string; readonly certificate: string; readonly key: string } {
  const validity = { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + VALID_DAYS * DAY_MS) };
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = { issuer: AUTHORITY, issuerKey: authority.privateKey, ...validity };
  return {
    ca: signCertificate({
      ...signed,
      subject: AUTHORITY,
      publicKey: authority.publicKey,
      extensions: authorityExtensions(),
    }),
    certificate: signCertificate({
      ...signed,
      subject: 'localhost',
      publicKey: server.publicKey,
      extensions: serverExtensions(['localhost'], ['127.0.0.1']),
    }),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
