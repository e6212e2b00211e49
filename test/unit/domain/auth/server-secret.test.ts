import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  activeKey,
  isRotationDue,
  type KeyRing,
  RING_CACHE_SECONDS,
  rotateRing,
  TURN_MAX_SECONDS,
} from '../../../../src/domain/auth/key-ring.ts';
import {
  newServerSecret,
  sameDigest,
  serverSecretMatches,
  siteOfServerSecret,
  storedServerSecret,
} from '../../../../src/domain/auth/server-secret.ts';
import { newEntityId } from '../../../../src/domain/sources.ts';
import { SITE_ID } from '../../../fakes/configuration.ts';
import { countingBytes, FrozenClock } from '../../../fakes/sources.ts';

test('ids have their prefix and 100 random bits in lower-case base32', () => {
  expect(newEntityId('act', () => Uint8Array.from({ length: 20 }, (_, i) => i * 13))).toMatch(/^act_[a-z2-7]{20}$/);
  const many = new Set(Array.from({ length: 1000 }, () => newEntityId('org', randomBytes)));
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
    const siteId = newEntityId('site', randomBytes);
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
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  /** The only comparison of the service, and that of the package for customers, which has no imports. */
  const ALLOWED = {
    'src/domain/auth/server-secret.ts': 'timingSafeEqual(expected, provided)',
    'packages/receiver/src/verification.ts': 'timingSafeEqual(receivedDigest, expected)',
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

const FIRST: KeyRing = [{ kid: 'k1', key: '1'.repeat(64) }];
const seconds = (clock: FrozenClock) => clock.now().getTime() / 1000;

test('a rotation adds a key that signs once every container has read it', () => {
  const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
  const ring = rotateRing(FIRST, clock.now(), countingBytes());
  expect(ring).toEqual([
    {
      kid: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
      key: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      active_from: seconds(clock) + RING_CACHE_SECONDS,
    },
    ...FIRST,
  ]);
  clock.advance(RING_CACHE_SECONDS * 1000 - 1);
  expect(activeKey(ring, clock.now()).kid).toBe('k1');
  clock.advance(1);
  expect(activeKey(ring, clock.now()).kid).toBe(ring[0].kid);
});

test('a key is kept while a container may still accept a token that it signed', () => {
  const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
  const random = countingBytes();
  let ring = rotateRing(FIRST, clock.now(), random);
  // It signs last when its successor becomes active. It can be removed one token lifetime, one turn and one ring cache time later.
  const lastUse = RING_CACHE_SECONDS + 3600 + TURN_MAX_SECONDS + RING_CACHE_SECONDS;
  clock.advance((lastUse - 1) * 1000);
  ring = rotateRing(ring, clock.now(), random);
  expect(ring.map((key) => key.kid)).toContain('k1');
  clock.advance(1000);
  ring = rotateRing(ring, clock.now(), random);
  expect(ring.map((key) => key.kid)).not.toContain('k1');
});

test.each([
  [undefined, true],
  [0, false],
  [6.9, false],
  [7, true],
])('a newest key of %p days is due for rotation: %p', (days, due) => {
  const clock = new FrozenClock();
  const active_from = days === undefined ? undefined : Math.floor(seconds(clock) - days * 86_400);
  expect(isRotationDue([{ ...FIRST[0], active_from }], clock.now())).toBe(due);
});
