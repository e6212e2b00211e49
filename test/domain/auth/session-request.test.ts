import { parseSessionRequest, ttlSeconds } from '../../../src/domain/auth/create-session.ts';
import { refusalOf } from '../../fakes/refusals.ts';

const SECRET_32 = 'k'.repeat(32);
const WEBHOOK = { url: 'https://hooks.example/usage', secret: SECRET_32 };
const EMOJI = '👩';
const hook = (changes: object) => ({ usage_webhook: { ...WEBHOOK, ...changes } });

/** Returns a context whose compact JSON has this many bytes. */
function contextOf(bytes: number): Record<string, string> {
  const empty = Buffer.byteLength(JSON.stringify({ a: '' }));
  return { a: 'x'.repeat(bytes - empty) };
}

/** Returns an object with this many levels. JSON.parse accepts any depth, JSON.stringify does not. */
function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
}

describe('refuses with 400 and names the field', () => {
  test.each<[string, unknown, string]>([
    ['user_id of 256 characters', { user_id: 'u'.repeat(256) }, 'user_id'],
    ['user_id of 256 code points', { user_id: EMOJI.repeat(256) }, 'user_id'],
    ['user_id that is a number', { user_id: 7 }, 'user_id'],
    ['user_id with a replacement character', { user_id: 'caf\ufffd' }, 'user_id'],
    ['user_name that is a number', { user_name: 7 }, 'user_name'],
    ['user_email that is a list', { user_email: [] }, 'user_email'],
    ['context of 2049 bytes', { context: contextOf(2049) }, 'context'],
    ['context whose characters take 2049 bytes', { context: { a: `${'é'.repeat(1020)}x` } }, 'context'],
    ['context that is a list', { context: [1] }, 'context'],
    ['context that is text', { context: '{}' }, 'context'],
    ['context that is nested too deeply', { context: nested(50_000) }, 'context'],
    ['usage_webhook that is text', { usage_webhook: 'https://hooks.example' }, 'usage_webhook'],
    ['usage_webhook without url', { usage_webhook: { secret: SECRET_32 } }, 'usage_webhook.url'],
    ['usage_webhook without secret', { usage_webhook: { url: WEBHOOK.url } }, 'usage_webhook.secret'],
    ['a url that is http', hook({ url: 'http://hooks.example/' }), 'usage_webhook.url'],
    ['a url without a scheme', hook({ url: 'hooks.example' }), 'usage_webhook.url'],
    ['a url that is too long', hook({ url: `https://h.example/${'x'.repeat(1983)}` }), 'usage_webhook.url'],
    ['2001 bytes once encoded', hook({ url: `https://h.example/a${'ü'.repeat(330)}bc` }), 'usage_webhook.url'],
    ['a url with an unpaired surrogate', hook({ url: 'https://h.example/\ud83d' }), 'usage_webhook.url'],
    ['a secret of 31 characters', hook({ secret: 'k'.repeat(31) }), 'usage_webhook.secret'],
    ['a secret of 31 code points', hook({ secret: EMOJI.repeat(31) }), 'usage_webhook.secret'],
    ['a secret of 257 characters', hook({ secret: 'k'.repeat(257) }), 'usage_webhook.secret'],
  ])('%s', async (_, body, field) => {
    const refusal = await refusalOf(() => parseSessionRequest(body));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: .+`))]);
  });
});

describe('accepts', () => {
  test.each<[string, unknown]>([
    ['user_id of 255 characters', { user_id: 'u'.repeat(255) }],
    ['user_id of 255 code points', { user_id: EMOJI.repeat(255) }],
    ['context of 2048 bytes', { context: contextOf(2048) }],
    ['an empty context', { context: {} }],
    ['a secret of 32 characters', hook({})],
    ['a secret of 256 characters', hook({ secret: 'k'.repeat(256) })],
    ['a url with an upper-case scheme', hook({ url: 'HTTPS://hooks.example/' })],
    [
      'null for every field',
      { user_id: null, user_name: null, user_email: null, context: null, usage_webhook: null, ttl_minutes: null },
    ],
    ['unknown fields', { something: 'else' }],
    ['an empty body', {}],
  ])('%s', (_, body) => {
    expect(() => parseSessionRequest(body)).not.toThrow();
  });
});

describe('truncates', () => {
  test('user_name to 100 and user_email to 255 characters', () => {
    const parsed = parseSessionRequest({ user_name: 'n'.repeat(101), user_email: 'e'.repeat(256) });
    expect(parsed.userName).toBe('n'.repeat(100));
    expect(parsed.userEmail).toBe('e'.repeat(255));
  });

  test('only between code points', () => {
    const parsed = parseSessionRequest({ user_name: EMOJI.repeat(101), user_email: `e${EMOJI.repeat(255)}` });
    expect(parsed.userName).toBe(EMOJI.repeat(100));
    expect(parsed.userEmail).toBe(`e${EMOJI.repeat(254)}`);
  });

  test('no value within its limit', () => {
    const parsed = parseSessionRequest({ user_name: 'n'.repeat(100), user_email: 'e'.repeat(255) });
    expect([parsed.userName?.length, parsed.userEmail?.length]).toEqual([100, 255]);
  });
});

describe('ttl_minutes', () => {
  const NOT_NUMBERS = [undefined, null, true, false, {}, [30], Number.NaN];
  const NOT_NUMERIC = ['', '.', 'soon', '10 minutes', '2 0', '0x10', 'NaN', 'Infinity', '1'.repeat(33)];

  test.each<[number, readonly unknown[]]>([
    [900, [...NOT_NUMBERS, ...NOT_NUMERIC]],
    // A number outside the range becomes the nearest bound.
    [60, [1, 0, 0.99, -5, -1e300, Number.NEGATIVE_INFINITY, '-3']],
    [3600, [60, 61, 60.001, 1e300, Number.POSITIVE_INFINITY, '1e9', '1e999']],
    // Fractions are exact to the second, and the text of a number counts as the number.
    [900, [15, '15']],
    [90, [1.5, '1.5']],
    [151, [2.51]],
    [60, ['.5']],
    [120, ['+2']],
    [1200, ['20.', '+20']],
    [1800, ['30', ' 30 ']],
  ])('gives %p seconds: %p', (seconds, values) => {
    expect(values.map(ttlSeconds)).toEqual(values.map(() => seconds));
  });
});
