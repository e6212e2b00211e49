import { parseSessionRequest, ttlSeconds } from '../../../src/domain/auth/session-request.ts';
import { refusalOf } from '../../fakes/refusals.ts';

const SECRET_32 = 'k'.repeat(32);
const WEBHOOK = { url: 'https://hooks.example/usage', secret: SECRET_32 };
const EMOJI = '👩';

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
    ['a url that is http', { usage_webhook: { ...WEBHOOK, url: 'http://hooks.example/' } }, 'usage_webhook.url'],
    ['a url without a scheme', { usage_webhook: { ...WEBHOOK, url: 'hooks.example' } }, 'usage_webhook.url'],
    [
      'a url that is too long',
      { usage_webhook: { ...WEBHOOK, url: `https://h.example/${'x'.repeat(1983)}` } },
      'usage_webhook.url',
    ],
    [
      'a url of 2001 bytes once encoded',
      { usage_webhook: { ...WEBHOOK, url: `https://h.example/a${'ü'.repeat(330)}bc` } },
      'usage_webhook.url',
    ],
    [
      'a url with an unpaired surrogate',
      { usage_webhook: { ...WEBHOOK, url: 'https://h.example/\ud83d' } },
      'usage_webhook.url',
    ],
    ['a secret of 31 characters', { usage_webhook: { ...WEBHOOK, secret: 'k'.repeat(31) } }, 'usage_webhook.secret'],
    ['a secret of 31 code points', { usage_webhook: { ...WEBHOOK, secret: EMOJI.repeat(31) } }, 'usage_webhook.secret'],
    ['a secret of 257 characters', { usage_webhook: { ...WEBHOOK, secret: 'k'.repeat(257) } }, 'usage_webhook.secret'],
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
    ['a secret of 32 characters', { usage_webhook: WEBHOOK }],
    ['a secret of 256 characters', { usage_webhook: { ...WEBHOOK, secret: 'k'.repeat(256) } }],
    ['a url with an upper-case scheme', { usage_webhook: { ...WEBHOOK, url: 'HTTPS://hooks.example/' } }],
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
  test.each<[unknown, number]>([
    // Values that are not numbers get the default.
    [undefined, 900],
    [null, 900],
    ['', 900],
    ['soon', 900],
    ['10 minutes', 900],
    ['0x10', 900],
    ['NaN', 900],
    ['Infinity', 900],
    ['1'.repeat(33), 900],
    [true, 900],
    [false, 900],
    [{}, 900],
    [[30], 900],
    [Number.NaN, 900],
    // Values in range.
    [1, 60],
    [15, 900],
    [60, 3600],
    // Values outside the range become the nearest bound.
    [0, 60],
    [0.99, 60],
    [-5, 60],
    [-1e300, 60],
    [61, 3600],
    [60.001, 3600],
    [1e300, 3600],
    [Number.POSITIVE_INFINITY, 3600],
    [Number.NEGATIVE_INFINITY, 60],
    // Fractions are exact to the second.
    [1.5, 90],
    [2.51, 151],
    // Text of a number counts as the number.
    ['30', 1800],
    [' 30 ', 1800],
    ['1.5', 90],
    ['+2', 120],
    ['-3', 60],
    ['1e9', 3600],
    ['20.', 1200],
    ['.5', 60],
    ['+20', 1200],
    ['.', 900],
    ['2 0', 900],
    ['0x10', 900],
    ['1e999', 3600],
  ])('%p gives %p seconds', (value, seconds) => {
    expect(ttlSeconds(value)).toBe(seconds);
  });
});
