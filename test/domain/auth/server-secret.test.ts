import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  newServerSecret,
  sameDigest,
  serverSecretMatches,
  siteOfServerSecret,
  storedServerSecret,
} from '../../../src/domain/auth/server-secret.ts';
import { newId } from '../../../src/domain/sources.ts';
import { SITE_ID } from '../../fakes/configuration.ts';
import { countingBytes } from '../../fakes/sources.ts';

test('ids have their prefix and 100 random bits in lower-case base32', () => {
  expect(newId('act', () => Uint8Array.from({ length: 20 }, (_, i) => i * 13))).toMatch(/^act_[a-z2-7]{20}$/);
  const many = new Set(Array.from({ length: 1000 }, () => newId('org', randomBytes)));
  expect(many.size).toBe(1000);
});

test('a server secret has the prefix ss_, 256 random bits and its site, to which it leads back', () => {
  const random = countingBytes();
  const secret = newServerSecret(SITE_ID, random);
  expect(secret).toMatch(/^ss_a{20}_[A-Za-z0-9_-]{43}$/);
  const bits = Buffer.from(secret.slice('ss_'.length + 20 + '_'.length), 'base64url');
  expect(bits).toEqual(Buffer.from(countingBytes()(32)));
  expect(newServerSecret(SITE_ID, random)).not.toBe(secret);
  for (let i = 0; i < 200; i++) {
    const siteId = newId('site', randomBytes);
    expect(siteOfServerSecret(newServerSecret(siteId, randomBytes))).toBe(siteId);
  }
});

test.each([
  '',
  'ss_',
  'sk_x',
  `ss_${'a'.repeat(20)}_short`,
  `ss_${'A'.repeat(20)}_${'x'.repeat(43)}`,
  ` ss_${'a'.repeat(20)}_${'x'.repeat(43)}`,
])('%p has no site', (text) => {
  expect(siteOfServerSecret(text)).toBeUndefined();
});

test('the stored form is the SHA-256 and the last six characters, and only the same secret matches it', () => {
  const secret = newServerSecret(SITE_ID, countingBytes());
  const stored = storedServerSecret(secret);
  expect(stored).toEqual({ sha256: createHash('sha256').update(secret).digest('hex'), last_six: secret.slice(-6) });
  expect(serverSecretMatches(stored, secret)).toBe(true);
  for (const other of [`${secret}x`, secret.slice(0, -1), secret.toUpperCase(), '']) {
    expect(serverSecretMatches(stored, other)).toBe(false);
  }
  expect(serverSecretMatches({ ...stored, sha256: '' }, secret)).toBe(false);
  expect(serverSecretMatches(undefined, secret)).toBe(false);
});

describe('the comparison of secrets', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  /** The only comparison of the service, and that of the package for customers, which has no imports. */
  const ALLOWED = {
    'src/domain/auth/server-secret.ts': 'timingSafeEqual(expected, provided)',
    'packages/receiver/src/verification.ts': 'timingSafeEqual(received, expected)',
  };

  /** Names of values that an attacker may try to guess. */
  const SECRET = String.raw`\w*(?:[sS]ecret|[sS]erverKey|[sS]ignature|[dD]igest|[hH]mac|sha256|[pP]roof|[pP]assword|[aA]piKey)(?!\w)`;
  /** Allowed comparisons: whether the value exists, and its length. */
  const HARMLESS = String.raw`(?:undefined|null|true|false|\d+)\b|''`;
  const COMPARISONS = [
    new RegExp(String.raw`(?<!typeof [\w.]*)${SECRET}(?:\[[^\]]*\])?\s*[!=]==?(?!=|\s*(?:${HARMLESS}))`),
    new RegExp(String.raw`(?<!typeof \w*)[!=]==?\s*(?:\w+\.)*${SECRET}(?!\.length)`),
    new RegExp(String.raw`${SECRET}\.(?:includes|indexOf|endsWith|localeCompare|equals|match)\(`),
    new RegExp(String.raw`\.(?:includes|indexOf|equals|localeCompare|compare)\(\s*(?:\w+\.)*${SECRET}\s*\)`),
    /\btimingSafeEqual\b/,
  ];

  /** Returns lines that compare a secret without sameDigest. */
  const comparisons = (file: string, text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
      .filter((line) => COMPARISONS.some((comparison) => comparison.test(line)))
      .map((line) => `${file}: ${line.trim()}`);

  test.each(Object.entries(ALLOWED))('takes constant time in %s', (file, call) => {
    const code = readFileSync(`${root}${file}`, 'utf8');
    expect(code.split(call)).toHaveLength(2);
    expect(comparisons(file, code.replace(call, '').replace(/^import .*$/gm, ''))).toEqual([]);
    const digest = (text: string) => createHash('sha256').update(text).digest();
    expect([sameDigest(digest('a'), digest('a')), sameDigest(digest('a'), digest('b'))]).toEqual([true, false]);
  });

  test('is nowhere else in the service', () => {
    const files = globSync('{src,lambdas,packages/receiver/src}/**/*.ts', { cwd: root }).filter(
      (file) => !(file in ALLOWED),
    );
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => comparisons(file, readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
  });
});
