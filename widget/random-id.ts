/** Returns 128 random bits in hex. Pages served over plain http have no crypto.randomUUID. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
