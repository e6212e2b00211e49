import type { RandomBytes } from '../sources.ts';

export type RotateOriginSecretPorts = {
  /** Makes the former value the previous one, which is accepted as well. @returns id of the new version */
  readonly replaceOriginSecret: (value: string) => Promise<string>;
  readonly randomBytes: RandomBytes;
};

/**
 * Gives the origin secret a new value. The distribution goes on sending the former one, which is accepted until the next
 * rotation; a deployment that names the new version makes it send the new one.
 */
export async function rotateOriginSecret(ports: RotateOriginSecretPorts): Promise<{ readonly version_id: string }> {
  const value = Buffer.from(ports.randomBytes(36)).toString('base64url');
  return { version_id: await ports.replaceOriginSecret(value) };
}
