import type { Assistant } from '../../../src/contract/assistants.ts';
import type { SessionClaims } from '../../../src/contract/sessions.ts';
import { type CreateSessionPorts, createSession } from '../../../src/domain/auth/create-session.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { Refusal } from '../../../src/domain/refusal.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { FakeLimit } from '../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../fakes/refusals.ts';
import { countingBytes, countingIds, FrozenClock } from '../../fakes/sources.ts';

const KEY = newServerSecret(SITE_ID, countingBytes());
const OTHER_KEY = newServerSecret(SITE_ID, () => new Uint8Array(32).fill(9));

function setUp(changes: Partial<Assistant> = {}) {
  const clock = new FrozenClock();
  const perMinute = new FakeLimit();
  const perHour = new FakeLimit();
  const signed: SessionClaims[] = [];
  const assistant = anAssistant({
    authentication_mode: 'Session Signed',
    server_secret: storedServerSecret(KEY),
    hourly_rate_limit: 77,
    ...changes,
  });
  const ports: CreateSessionPorts = {
    findAssistant: async (siteId) => (siteId === assistant.site_id ? assistant : undefined),
    hitPerMinute: perMinute.hit,
    hitPerHour: perHour.hit,
    signToken: async (claims) => {
      signed.push(claims);
      return 'signed-token';
    },
    now: clock.now,
    newId: countingIds(),
  };
  const ask = (
    request: Partial<Parameters<typeof createSession>[0]>,
    other: Partial<CreateSessionPorts> = {},
  ): ReturnType<typeof createSession> =>
    createSession({ serverKey: KEY, ip: '203.0.113.5', readBody: () => ({}), ...request }, { ...ports, ...other });
  const create = (body: unknown = {}, serverKey = KEY) => ask({ serverKey, readBody: () => body });
  return { clock, perMinute, perHour, signed, ask, create };
}

describe('the response', () => {
  test('has the token, the site, and the expiry as a time with UTC offset and in seconds', async () => {
    const { create } = setUp();
    expect(await create()).toEqual({
      success: true,
      session_token: 'signed-token',
      site_id: SITE_ID,
      expires_at: '2026-03-04T05:21:07+00:00',
      expires_in_seconds: 900,
    });
  });

  test('has the same values as the signed claims', async () => {
    const { create, signed } = setUp();
    const context = { plan: 'gold', nested: { list: [1, null, 'é'] } };
    const usage_webhook = { url: 'https://hooks.example/usage', secret: 's'.repeat(32) };
    const answer = await create({
      user_id: 'u-1',
      user_name: 'Ada',
      user_email: 'ada@example.com',
      context,
      usage_webhook,
      ttl_minutes: 2,
    });
    const iat = Date.parse('2026-03-04T05:06:07Z') / 1000;
    expect(signed).toEqual([
      {
        sub: 'u-1',
        jti: 'id-1',
        site_id: SITE_ID,
        user_name: 'Ada',
        user_email: 'ada@example.com',
        context,
        usage_webhook,
        iat,
        exp: iat + 120,
      },
    ]);
    expect(answer.expires_in_seconds).toBe(120);
    expect(Date.parse(answer.expires_at) / 1000).toBe(iat + 120);
  });

  test('without user_id is for a new anonymous user, and the token has no other optional claim', async () => {
    const { create, signed } = setUp();
    await create({});
    await create({ user_id: null });
    await create({ user_id: '' });
    const users = signed.map((claims) => claims.sub);
    expect(users).toEqual(Array(3).fill(expect.stringMatching(/^anon_/)));
    expect(new Set(users).size).toBe(3);
    expect(Object.keys(signed[0] ?? {}).sort()).toEqual(['exp', 'iat', 'jti', 'site_id', 'sub']);
  });
});

describe('refuses with 401', () => {
  test.each([
    ['no key', undefined, 'Server key required'],
    ['an empty key', '', 'Server key required'],
    ['a key with another prefix', 'sk_live_123', 'Invalid server key format'],
    ['the prefix in upper case', KEY.replace('ss_', 'SS_'), 'Invalid server key format'],
    ['a key that does not have the form of a server secret', 'ss_', 'Invalid server key'],
    ['another secret of the same assistant', OTHER_KEY, 'Invalid server key'],
    [
      'a secret of an unknown assistant',
      newServerSecret('site_zzzzzzzzzzzzzzzzzzzz', countingBytes()),
      'Invalid server key',
    ],
    ['the key with an additional character', `${KEY}x`, 'Invalid server key'],
  ])('%s', async (_, serverKey, message) => {
    const { ask, perHour } = setUp();
    expect(await refusedWith(ask({ serverKey }))).toEqual([401, message]);
    expect(perHour.calls).toEqual([]);
  });

  test.each([{ enabled: false }, { suspended: true }])('the right key of a disabled assistant: %j', async (off) => {
    const { create } = setUp(off);
    expect(await refusedWith(create())).toEqual([401, 'Invalid server key']);
  });

  test('any key of an assistant without a server secret', async () => {
    const refused = setUp().ask({}, { findAssistant: async () => anAssistant() });
    expect(await refusedWith(refused)).toEqual([401, 'Invalid server key']);
  });
});

describe('the two limits', () => {
  test('are 20 per IP address, and the setting of the assistant per assistant', async () => {
    const { create, perMinute, perHour, clock } = setUp();
    await create();
    expect(perMinute.calls).toEqual([{ key: 'session-create#203.0.113.5', limit: 20, now: clock.now() }]);
    expect(perHour.calls).toEqual([{ key: SITE_ID, limit: 77, now: clock.now() }]);
  });

  test('the limit per IP address is checked before the key (401)', async () => {
    const { create, perMinute, perHour } = setUp();
    perMinute.decision = { allowed: false, retryAfterSeconds: 17 };
    const refusal = await refusalOf(create({ user_id: 5 }, 'nonsense'));
    expect([refusal.status, refusal.message, refusal.retryAfterSeconds]).toEqual([429, 'Rate limit exceeded', 17]);
    expect(perHour.calls).toEqual([]);
  });

  test('the limit per IP address also counts requests that are answered with 401 or 400', async () => {
    const { create, perMinute } = setUp();
    await refusalOf(create({}, 'nonsense'));
    await refusalOf(create({ user_id: 5 }));
    expect(perMinute.calls).toHaveLength(2);
  });

  test('the key (401) is checked before the body (400) is read', async () => {
    const { ask } = setUp();
    const readBody = () => {
      throw new Refusal('invalid_request', { message: 'read' });
    };
    expect(await refusedWith(ask({ serverKey: undefined, readBody }))).toEqual([401, 'Server key required']);
    expect(await refusedWith(ask({ readBody }))).toEqual([400, 'read']);
  });

  test('a 400 does not count towards the limit per hour', async () => {
    const { create, perHour } = setUp();
    perHour.decision = { allowed: false, retryAfterSeconds: 1234 };
    expect((await refusalOf(create({ user_id: 5 }))).status).toBe(400);
    expect(perHour.calls).toEqual([]);
    const refusal = await refusalOf(create());
    expect([refusal.status, refusal.message, refusal.retryAfterSeconds]).toEqual([429, 'Rate limit exceeded', 1234]);
  });
});

test('a token that is too long for a header is refused with the field context', async () => {
  const { ask } = setUp();
  const refused = ask({}, { signToken: async () => 'x'.repeat(8193) });
  expect(await refusedWith(refused)).toEqual([400, expect.stringMatching(/^context: /)]);
  const longest = await ask({}, { signToken: async () => 'x'.repeat(8192) });
  expect(longest.session_token).toHaveLength(8192);
});
