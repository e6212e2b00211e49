import type { Assistant } from '../../../../src/contract/assistants.ts';
import type { SessionClaims } from '../../../../src/contract/sessions.ts';
import { createSession, ttlSeconds } from '../../../../src/domain/auth/create-session.ts';
import { newServerSecret, storedServerSecret } from '../../../../src/domain/auth/server-secret.ts';
import { anAssistant, SITE_ID } from '../../../fakes/configuration.ts';
import { fakeInvocation } from '../../../fakes/invocation.ts';
import { FakeLimit } from '../../../fakes/limits.ts';
import { refusalOf, refusedWith } from '../../../fakes/refusals.ts';
import { countingBytes } from '../../../fakes/sources.ts';
import { fakeTokens, widgetAuthentication } from '../../../fakes/widget.ts';

const KEY = newServerSecret(SITE_ID, countingBytes());
const WEBHOOK = { url: 'https://hooks.example/usage', secret: 'k'.repeat(32) };
const EMOJI = '👩';

function setUp(changes: Partial<Assistant> = {}) {
  const perMinute = new FakeLimit();
  const perHour = new FakeLimit();
  const signed: SessionClaims[] = [];
  const assistant = anAssistant({
    authentication_mode: 'Session Signed',
    server_secret: storedServerSecret(KEY),
    hourly_rate_limit: 77,
    ...changes,
  });
  const token = { text: 'signed-token' };
  const context = {
    ...widgetAuthentication({ assistants: [assistant] }),
    counters: { hitPerMinute: perMinute.hit, hitPerHour: perHour.hit },
    tokens: fakeTokens({
      signToken: async (claims) => {
        signed.push(claims);
        return token.text;
      },
    }),
  };
  const invocation = fakeInvocation();
  const create = (body: unknown = {}, request: Partial<Parameters<typeof createSession>[0]> = {}) =>
    createSession({ serverKey: KEY, ip: '203.0.113.5', readBody: () => body, ...request }, context, invocation);
  return { invocation, perMinute, perHour, signed, token, create };
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

  test('has the same values as the signed claims, which have the whole context', async () => {
    const { create, signed } = setUp();
    const context = JSON.parse('{"__proto__":{"a":1},"constructor":{"name":"Set"},"nested":[1,null,"é"]}');
    const user = { user_name: 'Ada', user_email: 'ada@example.com' };
    const answer = await create({ user_id: 'u-1', ...user, context, usage_webhook: WEBHOOK, ttl_minutes: 2 });
    const iat = Date.parse('2026-03-04T05:06:07Z') / 1000;
    const ids = { sub: 'u-1', jti: 'id-1', site_id: SITE_ID };
    expect(signed).toEqual([{ ...ids, ...user, context, usage_webhook: WEBHOOK, iat, exp: iat + 120 }]);
    expect(JSON.stringify(signed[0]?.context)).toBe(JSON.stringify(context));
    expect([answer.expires_in_seconds, Date.parse(answer.expires_at) / 1000]).toEqual([120, iat + 120]);
  });

  test('without user_id is for a new anonymous user, and the token has no other optional claim', async () => {
    const { create, signed } = setUp();
    for (const body of [{}, { user_id: null }, { user_id: '' }]) await create(body);
    const users = signed.map((claims) => claims.sub);
    expect(users).toEqual(Array(3).fill(expect.stringMatching(/^anon_/)));
    expect(new Set(users).size).toBe(3);
    expect(Object.keys(JSON.parse(JSON.stringify(signed[0]))).sort()).toEqual(['exp', 'iat', 'jti', 'site_id', 'sub']);
  });
});

describe('refuses', () => {
  test.each([
    ['server_key_required', 'no key', undefined],
    ['server_key_required', 'an empty key', ''],
    ['server_key_malformed', 'a key with another prefix', 'sk_live_123'],
    ['server_key_malformed', 'the prefix in upper case', KEY.replace('ss_', 'SS_')],
    ['server_key_invalid', 'a key that does not have the form of a server secret', 'ss_'],
    ['server_key_invalid', 'another secret of the same assistant', newServerSecret(SITE_ID, () => new Uint8Array(32))],
    ['server_key_invalid', 'a secret of an unknown assistant', KEY.replace('aaaa', 'zzzz')],
    ['server_key_invalid', 'the key with an additional character', `${KEY}x`],
  ])('with %s: %s', async (code, _, serverKey) => {
    const { create, perHour } = setUp();
    expect((await refusalOf(create({}, { serverKey }))).code).toBe(code);
    expect(perHour.calls).toEqual([]);
  });

  test.each([{ enabled: false }, { suspended: true }, { server_secret: undefined }])(
    'the right key of an assistant with %j',
    async (off) => {
      expect((await refusalOf(setUp(off).create())).code).toBe('server_key_invalid');
    },
  );

  test('the 21st request of an IP address in a minute, before anything else', async () => {
    const { create, perMinute, perHour, invocation } = setUp();
    perMinute.decision = { isAllowed: false, retryAfterSeconds: 17 };
    const refusal = await refusalOf(create({ user_id: 5 }, { serverKey: 'nonsense' }));
    expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 17 });
    expect(perMinute.calls).toEqual([{ key: 'session-create#203.0.113.5', limit: 20, now: invocation.now() }]);
    expect(perHour.calls).toEqual([]);
  });

  test('a missing key before the body is read, and a wrong body before the request counts for the hour', async () => {
    const { create, perMinute, perHour } = setUp();
    const readBody = () => {
      throw new Error('The body was read');
    };
    expect((await refusalOf(create({}, { serverKey: undefined, readBody }))).code).toBe('server_key_required');
    perHour.decision = { isAllowed: false, retryAfterSeconds: 1234 };
    expect((await refusalOf(create({ user_id: 5 }))).code).toBe('invalid_request');
    expect([perMinute.calls.length, perHour.calls.length]).toEqual([2, 0]);
  });

  test('a request over the hourly limit of its assistant', async () => {
    const { create, perHour, invocation } = setUp();
    perHour.decision = { isAllowed: false, retryAfterSeconds: 1234 };
    const refusal = await refusalOf(create());
    expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 1234 });
    expect(perHour.calls).toEqual([{ key: SITE_ID, limit: 77, now: invocation.now() }]);
  });

  test('a token that is too long for a header, with the field context', async () => {
    const { create, token } = setUp();
    token.text = 'x'.repeat(8193);
    expect(await refusedWith(create())).toEqual([400, expect.stringMatching(/^context: /)]);
    token.text = 'x'.repeat(8192);
    expect((await create()).session_token).toHaveLength(8192);
  });
});

describe('the body', () => {
  const hook = (changes: object) => ({ usage_webhook: { ...WEBHOOK, ...changes } });
  /** A context whose compact JSON has this many bytes. */
  const contextOf = (bytes: number) => ({ context: { a: 'x'.repeat(bytes - Buffer.byteLength('{"a":""}')) } });
  /** JSON.parse accepts any depth, JSON.stringify does not. */
  const nested: unknown = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);

  test.each<[string, string, unknown]>([
    ['user_id', 'of 256 characters', { user_id: 'u'.repeat(256) }],
    ['user_id', 'of 256 code points', { user_id: EMOJI.repeat(256) }],
    ['user_id', 'that is a number', { user_id: 7 }],
    ['user_id', 'with a replacement character', { user_id: 'caf\ufffd' }],
    ['user_name', 'that is a number', { user_name: 7 }],
    ['user_email', 'that is a list', { user_email: [] }],
    ['context', 'of 2049 bytes', contextOf(2049)],
    ['context', 'whose characters take 2049 bytes', { context: { a: `${'é'.repeat(1020)}x` } }],
    ['context', 'that is a list', { context: [1] }],
    ['context', 'that is text', { context: '{}' }],
    ['context', 'that is nested too deeply', { context: nested }],
    ['usage_webhook', 'that is text', { usage_webhook: WEBHOOK.url }],
    ['usage_webhook.url', 'that is absent', { usage_webhook: { secret: WEBHOOK.secret } }],
    ['usage_webhook.url', 'that is http', hook({ url: 'http://hooks.example/' })],
    ['usage_webhook.url', 'of 2001 bytes once encoded', hook({ url: `https://h.example/a${'ü'.repeat(330)}bc` })],
    ['usage_webhook.secret', 'that is absent', { usage_webhook: { url: WEBHOOK.url } }],
    ['usage_webhook.secret', 'of 31 characters', hook({ secret: 'k'.repeat(31) })],
    ['usage_webhook.secret', 'of 31 code points', hook({ secret: EMOJI.repeat(31) })],
    ['usage_webhook.secret', 'of 257 characters', hook({ secret: 'k'.repeat(257) })],
  ])('is refused with a %s %s', async (field, _, body) => {
    const refusal = await refusalOf(setUp().create(body));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: .+`))]);
  });

  test.each<[string, unknown]>([
    ['a user_id of 255 code points', { user_id: EMOJI.repeat(255) }],
    ['a context of 2048 bytes', contextOf(2048)],
    ['an empty context', { context: {} }],
    ['a secret of 32 characters', hook({})],
    ['a secret of 256 characters', hook({ secret: 'k'.repeat(256) })],
    ['null for every field', { user_id: null, user_name: null, user_email: null, context: null, usage_webhook: null }],
    ['unknown fields', { something: 'else' }],
  ])('is accepted with %s', async (_, body) => {
    expect((await setUp().create(body)).success).toBe(true);
  });

  test('has user_name truncated to 100 and user_email to 255 characters', async () => {
    const { create, signed } = setUp();
    await create({ user_name: EMOJI.repeat(101), user_email: `e${EMOJI.repeat(255)}` });
    expect(signed[0]).toMatchObject({ user_name: EMOJI.repeat(100), user_email: `e${EMOJI.repeat(254)}` });
  });

  const NOT_NUMBERS = [undefined, null, true, false, {}, [30]];
  const NOT_NUMERIC = ['', '.', 'soon', '10 minutes', '2 0', '0x10', 'NaN', 'Infinity', '1'.repeat(33)];

  test.each<[number, readonly unknown[]]>([
    [900, [...NOT_NUMBERS, ...NOT_NUMERIC]],
    // A number outside the range becomes the nearest bound.
    [60, [1, 0, 0.99, -1e300, Number.NEGATIVE_INFINITY, '-3']],
    [3600, [60, 60.001, 1e300, Number.POSITIVE_INFINITY, '1e9', '1e999']],
    // Fractions are exact to the second, and the text of a number counts as the number.
    [90, [1.5, '1.5']],
    [151, [2.51]],
    [60, ['.5']],
    [1200, ['20.', '+20', ' 20 ']],
  ])('has a lifetime of %p seconds with the ttl_minutes %p', (seconds, values) => {
    expect(values.map(ttlSeconds)).toEqual(values.map(() => seconds));
  });
});

test('a repeat costs one more of both limits that are shared, because it makes another token', async () => {
  const { create, perMinute, perHour } = setUp();
  for (let nth = 0; nth < 2; nth++) await create({ user_id: 'u-1' });
  expect([perMinute.calls, perHour.calls].map(({ length }) => length)).toEqual([2, 2]);
});
