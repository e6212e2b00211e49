import { createHash, createHmac } from 'node:crypto';
import { KeptKeySha256 } from '../../src/adapters/kept-key-sha256.ts';

const hex = async (sha: KeptKeySha256) => Buffer.from(await sha.digest()).toString('hex');

test('hashes text and bytes in pieces as Node does', async () => {
  const sha = new KeptKeySha256();
  sha.update('Zoë 🙂');
  sha.update(Uint8Array.of(0, 255));
  sha.update(Uint8Array.of(1, 2, 3, 4).subarray(1, 3));
  sha.update(Uint8Array.of(9).buffer);
  const bytes = Buffer.concat([Buffer.from('Zoë 🙂'), Buffer.of(0, 255, 2, 3, 9)]);
  expect(await hex(sha)).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test.each<[string, string | Uint8Array]>([
  ['text', 'a secret access key'],
  ['text beyond ASCII', 'ключ'],
  ['empty text', ''],
  ['bytes', Uint8Array.from({ length: 64 }, (_, byte) => byte)],
  ['a part of other bytes', Uint8Array.from({ length: 64 }, (_, byte) => byte).subarray(7, 39)],
])('computes the HMAC with a key that is %s at each use', async (_, key) => {
  for (const text of ['first', 'second', '']) {
    const sha = new KeptKeySha256(key);
    sha.update('thrown away');
    sha.reset();
    sha.update(text);
    expect(await hex(sha)).toBe(createHmac('sha256', key).update(text).digest('hex'));
  }
});

test('distinguishes keys after any number of keys', async () => {
  const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
  for (const key of [...keys, ...keys]) {
    for (const form of [key, Buffer.from(key)]) {
      const sha = new KeptKeySha256(form);
      sha.update('text');
      expect(await hex(sha)).toBe(createHmac('sha256', key).update('text').digest('hex'));
    }
  }
});
