import { createPrivateKey, X509Certificate } from 'node:crypto';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { receiverCertificate } from '../../../local/certificates.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const folder = temporaryFolder();
const { certificateFile, keyFile, certificate: first } = receiverCertificate(folder);

test('the certificate of the receivers stays the same, with its key', () => {
  const stored = receiverCertificate(folder);
  expect(receiverCertificate(folder)).toEqual(stored);
});

test.each<[string, () => void]>([
  ['its file is empty, as after a power failure', () => writeFileSync(certificateFile, '')],
  ['its file is damaged', () => writeFileSync(certificateFile, first.replace(/[a-z]/g, 'A'))],
  ['its key is damaged', () => writeFileSync(keyFile, 'nonsense')],
  ['its key is gone', () => rmSync(keyFile)],
  ['it is gone', () => rmSync(certificateFile)],
  ['the key is of another one', () => copyFileSync(receiverCertificate(join(folder, 'other')).keyFile, keyFile)],
])('another one is made when %s', (_, spoil) => {
  const { certificate: before } = receiverCertificate(folder);
  spoil();
  const { certificate, key } = receiverCertificate(folder);
  expect(certificate).not.toBe(before);
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(receiverCertificate(folder)).toMatchObject({ certificate, key });
});
