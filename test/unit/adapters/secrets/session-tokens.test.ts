import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { decodeProtectedHeader, SignJWT } from 'jose';
import { sessionTokens } from '../../../../src/adapters/secrets/session-tokens.ts';
import type { RingKey } from '../../../../src/domain/auth/key-ring.ts';
import { verifyingKey } from '../../../../src/domain/auth/key-ring.ts';
import type { TokenProblem } from '../../../../src/domain/refusal.ts';
import { SITE_ID } from '../../../fakes/configuration.ts';
import { failing } from '../../../fakes/failing.ts';
import { FrozenClock } from '../../../fakes/sources.ts';
import { someClaims } from '../../../fakes/widget.ts';
import { anyCharacter } from '../../../harness/any-character.ts';
import vectors from '../../../vectors/session-token.json' with { type: 'json' };

const ONE: RingKey = { kid: 'k1', key: '1'.repeat(64) };
const TWO: RingKey = { kid: 'k2', key: '2'.repeat(64) };

/** An in-memory ring, newest key first. */
function tokensOf(keys: readonly [RingKey, ...RingKey[]], clock = new FrozenClock('2026-03-04T05:00:00.000Z')) {
  const ring = {
    currentKey: async () => keys[0],
    verifyingKey: async (kid: string) => verifyingKey(keys, kid, clock.now()),
  };
  return { clock, ...sessionTokens(ring, clock.now) };
}

const NOW = Date.parse('2026-03-04T05:00:00Z') / 1000;
const CLAIMS = someClaims({ iat: NOW, exp: NOW + 900 });

describe('fixed vectors', () => {
  test.each(vectors)('the token of $claims.sub is equal to the stored one', async ({ kid, key, claims, token }) => {
    const clock = new FrozenClock(new Date(claims.iat * 1000).toISOString());
    const tokens = tokensOf([{ kid, key }], clock);
    expect(await tokens.signToken(claims)).toBe(token);
    expect(await tokens.verifyToken(token)).toEqual(claims);
    expect(tokens.siteOfToken(token)).toBe(claims.site_id);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid });
  });
});

describe('a token', () => {
  test('is valid until the exact second of its expiry', async () => {
    const tokens = tokensOf([ONE]);
    const token = await tokens.signToken(CLAIMS);
    tokens.clock.advance(899_999);
    expect(await tokens.verifyToken(token)).toEqual(CLAIMS);
    tokens.clock.advance(1);
    expect(await tokens.verifyToken(token)).toBe('expired');
  });

  test('that expired during a turn can report this turn for fifteen minutes', async () => {
    const tokens = tokensOf([ONE]);
    const token = await tokens.signToken(CLAIMS);
    tokens.clock.advance(900_000 + 899_999);
    expect(await tokens.verifyToken(token)).toBe('expired');
    expect(await tokens.verifyTokenOfTurn(token)).toEqual(CLAIMS);
    tokens.clock.advance(1);
    expect(await tokens.verifyTokenOfTurn(token)).toBe('expired');
  });

  test('of an older key in the ring is valid; of a removed key it is not', async () => {
    const token = await tokensOf([ONE]).signToken(CLAIMS);
    expect(await tokensOf([{ ...TWO, active_from: NOW }, ONE]).verifyToken(token)).toEqual(CLAIMS);
    expect(await tokensOf([TWO]).verifyToken(token)).toBe('unknown_key');
  });

  test('of a key that retired 80 minutes ago is refused, although the ring still has the key', async () => {
    const clock = new FrozenClock('2026-03-04T05:00:00.000Z');
    const tokens = tokensOf([{ ...TWO, active_from: NOW }, ONE], clock);
    // A token that an attacker signs with the key can have any expiry.
    const stolen = await tokensOf([ONE]).signToken({ ...CLAIMS, exp: NOW + 86_400 });
    clock.advance(80 * 60_000 - 1);
    expect(await tokens.verifyToken(stolen)).toMatchObject({ sub: CLAIMS.sub });
    clock.advance(1);
    expect(await tokens.verifyToken(stolen)).toBe('unknown_key');
    expect(await tokens.verifyTokenOfTurn(stolen)).toBe('unknown_key');
  });
});

describe('is not accepted', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signedBy = (key: string, header: object, payload: object) => {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const good = { alg: 'HS256', typ: 'JWT', kid: 'k1' };

  test.each<[string, string, TokenProblem?]>([
    ['empty text', ''],
    ['text', 'hello'],
    ['dots', '..'],
    ['a token without signature', `${encode({ alg: 'none', kid: 'k1' })}.${encode(CLAIMS)}.`],
    ['a token without key id', signedBy(ONE.key, { alg: 'HS256' }, CLAIMS), 'unknown_key'],
    ['a token of another key', signedBy(TWO.key, good, CLAIMS), 'wrong_signature'],
    ['a token of an unknown key id', signedBy(ONE.key, { ...good, kid: 'k9' }, CLAIMS), 'unknown_key'],
    ['a token whose key id is not text', signedBy(ONE.key, { ...good, kid: 5 }, CLAIMS), 'unknown_key'],
    ['a token that never expires', signedBy(ONE.key, good, { ...CLAIMS, exp: undefined })],
    ['a token without site', signedBy(ONE.key, good, { ...CLAIMS, site_id: undefined })],
    ['a header that is a list', `${encode([])}.${encode(CLAIMS)}.x`],
    ['a payload that is not an object', signedBy(ONE.key, good, [1])],
  ])('%s', async (_, token, problem = 'not_a_token') => {
    expect(await tokensOf([ONE]).verifyToken(token)).toBe(problem);
  });

  test('a signed token with another payload', async () => {
    const tokens = tokensOf([ONE]);
    const [head, , mark] = (await tokens.signToken(CLAIMS)).split('.');
    expect(await tokens.verifyToken(`${head}.${encode({ ...CLAIMS, sub: 'admin' })}.${mark}`)).toBe('wrong_signature');
  });

  test('a signed token whose signature is spelled in another way', async () => {
    const tokens = tokensOf([ONE]);
    const token = await tokens.signToken(CLAIMS);
    // The last of 43 characters has two spare bits, which are 0 in the token that was signed.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spare = token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) + 1);
    for (const other of [spare, `${token}=`, `${token}==`, `${token}\n`, ` ${token}`]) {
      expect(typeof (await tokens.verifyToken(other))).toBe('string');
    }
    expect(await tokens.verifyToken(token)).toEqual(CLAIMS);
  });

  test('a longer HMAC of the right key', async () => {
    const token = await new SignJWT(CLAIMS).setProtectedHeader({ ...good, alg: 'HS512' }).sign(Buffer.from(ONE.key));
    expect(await tokensOf([ONE]).verifyToken(token)).toBe('not_a_token');
  });

  test('any generated text, and no text causes an exception', async () => {
    const tokens = tokensOf([ONE]);
    const part = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
        ),
        async (text) => {
          expect(await tokens.verifyToken(text)).toBe('not_a_token');
          expect(['undefined', 'string']).toContain(typeof tokens.siteOfToken(text));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('the site of a token is read without the key, and only if it is text', async () => {
  const token = await tokensOf([ONE]).signToken(CLAIMS);
  const stranger = tokensOf([TWO]);
  expect(stranger.siteOfToken(token)).toBe(SITE_ID);
  const other = await new SignJWT({ site_id: 5 }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(ONE.key));
  expect(stranger.siteOfToken(other)).toBeUndefined();
});

test('an error of the key store is an internal error, not an invalid token', async () => {
  const away = failing('away');
  const token = await tokensOf([ONE]).signToken(CLAIMS);
  const tokens = sessionTokens({ currentKey: away, verifyingKey: away }, new FrozenClock().now);
  await expect(tokens.verifyToken(token)).rejects.toThrow('away');
});
