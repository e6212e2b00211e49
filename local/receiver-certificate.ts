import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './cloud/state/kept-file.ts';
import { signCertificate } from './x509.ts';

const DAY_MS = 24 * 3600 * 1000;
const VALID_DAYS = 365;
const RENEW_DAYS_BEFORE = 30;

/** The certificate of this machine's receivers with its key, in PEM, and their files. */
export type ReceiverCertificate = {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly certificate: string;
  readonly key: string;
};

/**
 * Reads the certificate of this machine's receivers from `folder`, or makes it. It is for `localhost` and 127.0.0.1 only, and can sign no
 * other. The functions must trust it from their first request on, so this comes before the service starts.
 */
export function receiverCertificate(folder: string): ReceiverCertificate {
  const [certificateFile, keyFile] = [join(folder, 'receiver.pem'), join(folder, 'receiver.key')];
  if (!existsSync(keyFile) || !isValid(certificateFile)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = 'va-wave local receiver';
    const [notBefore, notAfter] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + VALID_DAYS * DAY_MS)];
    const hosts = ['localhost', '127.0.0.1'];
    const signed = { subject: name, publicKey, issuer: name, issuerKey: privateKey, notBefore, notAfter, hosts };
    writeFileAtomically(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    writeFileAtomically(certificateFile, signCertificate(signed));
  }
  const [certificate, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  return { certificateFile, keyFile, certificate, key };
}

function isValid(certificateFile: string): boolean {
  if (!existsSync(certificateFile)) return false;
  const { validTo } = new X509Certificate(readFileSync(certificateFile));
  return Date.parse(validTo) - Date.now() > RENEW_DAYS_BEFORE * DAY_MS;
}
