import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { newSigningSecret, openSigningSecret, sealSigningSecret } from '../../../src/domain/delivery/signing-secret.ts';
import { countingBytes } from '../../fakes/sources.ts';

const vectors = z
  .array(
    z.object({
      kid: z.string(),
      key: z.string(),
      action_id: z.string(),
      secret: z.string(),
      iv_hex: z.string(),
      sealed: z.string(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../vectors/sealing.json', import.meta.url), 'utf8')));

const KEY = { kid: 'k1', key: 'a key of sixty-four characters or so, as Secrets Manager makes it' };
const OTHER = { kid: 'k2', key: 'another key' };

test('a new signing secret has 256 random bits', () => {
  const random = countingBytes();
  const secret = newSigningSecret(random);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(secret.slice(6), 'base64url')).toEqual(Buffer.from(countingBytes()(32)));
  expect(newSigningSecret(random)).not.toBe(secret);
});

test.each(vectors)(
  'the vector sealed with $kid for $action_id can be opened, and sealing gives the same text',
  (vector) => {
    const { kid, key, action_id, secret, iv_hex, sealed } = vector;
    expect(openSigningSecret(sealed, action_id, [{ kid, key }])).toBe(secret);
    expect(sealSigningSecret(secret, action_id, { kid, key }, () => Buffer.from(iv_hex, 'hex'))).toBe(sealed);
  },
);

test('a sealed secret is hidden, differs each time, and can be opened', () => {
  const sealed = sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes);
  expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('whsec_x');
  expect(sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes)).not.toBe(sealed);
  expect(openSigningSecret(sealed, 'act_1', [OTHER, KEY])).toBe('whsec_x');
});

describe('does not open', () => {
  const sealed = sealSigningSecret('whsec_x', 'act_1', KEY, randomBytes);
  const [version, kid, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  const altered = (position: number) => {
    const copy = Buffer.from(bytes);
    copy[position] = (copy[position] ?? 0) ^ 1;
    return `${version}.${kid}.${copy.toString('base64url')}`;
  };

  test.each<[string, string, string, typeof KEY]>([
    ['for another Action', sealed, 'act_2', KEY],
    ['with another key of the same id', sealed, 'act_1', { ...OTHER, kid: 'k1' }],
    ['without its key', sealed, 'act_1', OTHER],
    ['with its first byte altered', altered(0), 'act_1', KEY],
    ['with its text altered', altered(13), 'act_1', KEY],
    ['with its tag altered', altered(bytes.length - 1), 'act_1', KEY],
    ['cut short', `${version}.${kid}.${bytes.subarray(0, -1).toString('base64url')}`, 'act_1', KEY],
    ['emptied', `${version}.${kid}.`, 'act_1', KEY],
    ['in another version', sealed.replace('v1.', 'v2.'), 'act_1', KEY],
    ['without its parts', 'whsec_x', 'act_1', KEY],
  ])('%s', (_, text, actionId, key) => {
    expect(() => openSigningSecret(text, actionId, [key])).toThrow();
  });

  test('and its error contains neither the secret nor the key', () => {
    expect(() => openSigningSecret(sealed, 'act_2', [KEY])).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/whsec_x|sixty-four/) }),
    );
  });
});
