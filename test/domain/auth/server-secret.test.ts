import { createHash, randomBytes } from 'node:crypto';
import {
  newServerSecret,
  serverSecretMatches,
  siteOfServerSecret,
  storedServerSecret,
} from '../../../src/domain/auth/server-secret.ts';
import { newId } from '../../../src/domain/ids.ts';
import { SITE_ID } from '../../fakes/configuration.ts';
import { countingBytes } from '../../fakes/sources.ts';

test('a server secret has the prefix ss_, its site and 256 random bits', () => {
  const random = countingBytes();
  const secret = newServerSecret(SITE_ID, random);
  expect(secret).toMatch(/^ss_a{20}_[A-Za-z0-9_-]{43}$/);
  const bits = Buffer.from(secret.split('_').slice(2).join('_'), 'base64url');
  expect(bits).toEqual(Buffer.from(countingBytes()(32)));
  expect(newServerSecret(SITE_ID, random)).not.toBe(secret);
});

test('a server secret of any site leads back to that site', () => {
  for (let i = 0; i < 200; i++) {
    const siteId = newId('site', randomBytes);
    expect(siteOfServerSecret(newServerSecret(siteId, randomBytes))).toBe(siteId);
  }
});

test.each([
  '',
  'ss_',
  'sk_x',
  `ss_${'a'.repeat(20)}`,
  `ss_${'a'.repeat(20)}_short`,
  `ss_${'A'.repeat(20)}_${'x'.repeat(43)}`,
  ` ss_${'a'.repeat(20)}_${'x'.repeat(43)}`,
])('%p has no site', (text) => {
  expect(siteOfServerSecret(text)).toBeUndefined();
});

test('the stored form is the SHA-256 and the last six characters', () => {
  const secret = newServerSecret(SITE_ID, countingBytes());
  const stored = storedServerSecret(secret);
  expect(stored).toEqual({ sha256: createHash('sha256').update(secret).digest('hex'), last_six: secret.slice(-6) });
  expect(JSON.stringify(stored)).not.toContain(secret.slice(3, -6));
});

test('only the same secret matches', () => {
  const secret = newServerSecret(SITE_ID, countingBytes());
  const stored = storedServerSecret(secret);
  expect(serverSecretMatches(stored, secret)).toBe(true);
  expect(serverSecretMatches(stored, `${secret}x`)).toBe(false);
  expect(serverSecretMatches(stored, secret.slice(0, -1))).toBe(false);
  expect(serverSecretMatches(stored, secret.toUpperCase())).toBe(false);
  expect(serverSecretMatches({ ...stored, sha256: '' }, secret)).toBe(false);
  expect(serverSecretMatches(undefined, secret)).toBe(false);
});

test('ids have their prefix and 100 random bits in lower-case base32', () => {
  expect(newId('act', () => Uint8Array.from({ length: 20 }, (_, i) => i * 13))).toMatch(/^act_[a-z2-7]{20}$/);
  const many = new Set(Array.from({ length: 1000 }, () => newId('org', randomBytes)));
  expect(many.size).toBe(1000);
});
