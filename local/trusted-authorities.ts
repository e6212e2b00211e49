import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CloudError, messageOf } from './cloud/cloud-error.ts';
import { writeFileAtomically } from './cloud/state/atomic-file.ts';

/**
 * Puts the certificates of several PEM files into one.
 * @throws CloudError when a file cannot be read or holds no certificate
 */
export function gatherAuthorities(files: readonly string[], into: string): void {
  const texts = files.map((file) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
      new X509Certificate(text);
    } catch (error) {
      throw new CloudError(`${file} is not a PEM file with a certificate (${messageOf(error)})`);
    }
    return text.trim();
  });
  writeFileAtomically(into, `${texts.join('\n')}\n`);
}
