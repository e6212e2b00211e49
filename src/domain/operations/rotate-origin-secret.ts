import type { RandomBytes } from '../sources.ts';

export type RotateOriginSecretPorts = {
  /** Stores the value. The current value becomes the previous one, which is still accepted. @returns the id of the new version @throws Refusal while the distribution does not send the current value */
  readonly replaceOriginSecret: (value: string) => Promise<string>;
  readonly randomBytes: RandomBytes;
};

/**
 * Gives the origin secret a new value. The distribution keeps sending the old value, which is accepted until the next rotation.
 * A deployment that names the new version makes the distribution send the new value; until then, the next rotation is refused.
 */
export async function rotateOriginSecret(ports: RotateOriginSecretPorts): Promise<{ readonly version_id: string }> {
  const value = Buffer.from(ports.randomBytes(36)).toString('base64url');
  return { version_id: await ports.replaceOriginSecret(value) };
}
