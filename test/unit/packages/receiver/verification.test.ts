import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isHttpError } from 'http-errors';
import {
  type RawBody,
  type UsageSecret,
  VerificationError,
  verifyAction,
  verifyUsageWebhook,
} from '../../../../packages/receiver/src/index.ts';
import { canonicalJson } from '../../../../src/domain/canonical-json.ts';
import { signatureHeader } from '../../../../src/domain/delivery/signature.ts';
import { anyCharacter } from '../../../harness/any-character.ts';
import { costRatio } from '../../../harness/cost-ratio.ts';
import { actionRequests, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';
import { vectors } from './vectors.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const now = () => NOW.getTime();
const seconds = NOW.getTime() / 1000;
const STALE = [400, 'timestamp_stale'];
const TOO_LARGE = [413, 'body_too_large'];
const MALFORMED = [400, 'request_malformed'];
const MISMATCH = [401, 'signature_mismatch'];

/** Returns the status and the code with which `verify` refuses a request. */
function refusal(verify: () => unknown): readonly [number, string] {
  try {
    verify();
  } catch (error) {
    if (error instanceof VerificationError) return [error.status, error.code];
    throw error;
  }
  throw new Error('Nothing was refused');
}

/** The bytes of a text in every form in which a framework has them. */
const FORMS: Readonly<Record<string, (text: string) => RawBody>> = {
  string: (text) => text,
  Buffer: (text) => Buffer.from(text),
  'Uint8Array, a part of a larger buffer': (text) => Buffer.from(`x${text}x`).subarray(1, -1),
  ArrayBuffer: (text) => new TextEncoder().encode(text).buffer,
  SharedArrayBuffer: (text) => {
    const shared = new SharedArrayBuffer(Buffer.byteLength(text));
    new Uint8Array(shared).set(Buffer.from(text));
    return shared;
  },
  DataView: (text) => new DataView(new TextEncoder().encode(text).buffer),
};

describe('the fixed vectors', () => {
  const answered = (verify: () => { readonly key: string | null }) => {
    try {
      return { status: 200, deduplication_key: verify().key };
    } catch (error) {
      if (error instanceof VerificationError) return { status: error.status };
      throw error;
    }
  };

  test.each(vectors.actions)('Action: $name', ({ secret, trigger, now: at, headers, body, expected }) => {
    const receiver = { secret, trigger, now: () => at * 1000 };
    for (const form of Object.values(FORMS)) {
      const verify = () => ({ key: verifyAction(form(body), headers, receiver).deduplicationKey });
      expect(answered(verify)).toEqual(expected);
    }
  });

  test.each(vectors.usage_webhooks)('usage webhook: $name', ({ secret, now: at, headers, body, expected }) => {
    const receiver = { secret, now: () => at * 1000 };
    const verify = () => ({ key: verifyUsageWebhook(Buffer.from(body), headers, receiver).nonce });
    expect(answered(verify)).toEqual(expected);
  });

  test('the service signs as the vectors do', () => {
    const genuine = vectors.actions.filter(({ expected }) => expected.status === 200);
    expect(genuine.length).toBeGreaterThan(9);
    for (const { secret, body, headers } of genuine) {
      const signature = headers['X-Service-Signature'] ?? '';
      const t = Number(/t=(\d+)/.exec(signature)?.[1]);
      expect(signature.replace(',v2=abc', '')).toBe(signatureHeader(secret, t, Buffer.from(body)));
    }
  });
});

describe('verifyAction', () => {
  const signed = (body: string, changes: Readonly<Record<string, string>> = {}) => ({
    'x-service-signature': signatureHeader(SIGNING_SECRET, seconds, Buffer.from(body)),
    'x-service-trigger': 'ai',
    'x-service-trigger-ref': 'c1',
    ...changes,
  });

  const AI = { trigger: 'ai', secret: SIGNING_SECRET, now } as const;

  test.each(actionRequests(NOW))('$name: $status', ({ name, trigger: kind, request, status }) => {
    const receiver = { trigger: kind, secret: SIGNING_SECRET, now };
    const verify = () => verifyAction(request.body ?? '', request.headers, receiver);
    if (status !== 200) return expect(refusal(verify)[0]).toBe(status);
    const { trigger, triggerRef, body, rawBody, deduplicationKey } = verify();
    expect(triggerRef).toBe(request.headers['X-Service-Trigger-Ref']);
    expect(Buffer.from(rawBody)).toEqual(Buffer.from(request.body ?? []));
    const key = trigger === 'event' ? body?.id : trigger === 'form' ? body?.submission_id : undefined;
    expect([name, deduplicationKey]).toEqual([name, key ?? null]);
  });

  test('accepts a list of headers, fetch headers, one of several secrets, and spaces in the signature', () => {
    const headers = signed('{}');
    expect(verifyAction('{}', headers, { ...AI, secret: ['another', SIGNING_SECRET] }).body).toEqual({});
    expect(verifyAction('{}', new Headers(headers), AI).trigger).toBe('ai');
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verifyAction('{}', lists, AI).trigger).toBe('ai');
    const spaced = { ...headers, 'x-service-signature': headers['x-service-signature'].replace(',', ' , ') };
    expect(verifyAction('{}', spaced, AI).trigger).toBe('ai');
  });

  test('refuses a signature header that was sent twice', () => {
    const header = signed('{}')['x-service-signature'];
    const headers = { ...signed('{}'), 'x-service-signature': [header, header] };
    expect(refusal(() => verifyAction('{}', headers, AI))).toEqual([400, 'signature_malformed']);
  });

  test('accepts a timestamp of 300 seconds before or after now, and no other', () => {
    const aged = (age: number, toleranceSeconds?: number) => () =>
      verifyAction('{}', signed('{}'), { ...AI, now: () => (seconds + age) * 1000, toleranceSeconds });
    for (const age of [300, -300]) expect(aged(age)().timestamp).toBe(seconds);
    for (const age of [300.001, -301]) expect(refusal(aged(age))).toEqual(STALE);
    expect(refusal(aged(0, Number.NaN))).toEqual(STALE);
  });

  test.each(['event', 'form', 'ai', 'other', ''])('a receiver of another kind refuses %s', (kind) => {
    for (const trigger of ['event', 'form', 'ai'] as const) {
      if (trigger === kind) continue;
      const headers = signed('{"id":"1"}', { 'x-service-trigger': kind });
      expect(refusal(() => verifyAction('{"id":"1"}', headers, { ...AI, trigger }))).toEqual(MALFORMED);
    }
  });

  test('throws what NestJS and Koa take for an error of http-errors, and so answer with its status and message', () => {
    const error = new VerificationError('signature_mismatch', 'The signature does not match');
    expect(isHttpError(error) && [error.status, error.expose, error.message]).toEqual([401, true, error.message]);
  });

  describe('reads a name with an escape, whatever was read before', () => {
    const receive = (text: string) => verifyAction(text, signed(text), AI).body;

    test('as the name that was signed', () => {
      const similar = receive(JSON.stringify({ first: 1, 'x\\': 2 }));
      const body = { first: 1, 'x"': 3 };
      expect([similar, receive(JSON.stringify(body, undefined, 1))]).toEqual([{ first: 1, 'x\\': 2 }, body]);
    });

    test('in every JSON object', () => {
      const value = fc.anything({ key: fc.string({ unit: anyCharacter }), withObjectString: true });
      fc.assert(
        fc.property(value, fc.constantFrom('', ' ', '\n\t'), (any, space) => {
          const text = JSON.stringify({ '\n': any, ['__proto__']: any, '1': any, '': any }, undefined, space);
          expect(JSON.stringify(receive(text), undefined, space)).toBe(text);
        }),
      );
    });

    test('and of equal names the last', () => {
      expect(receive(String.raw`{"a":1,"\u0061":2,"a":3,"\ud83d":4,"\uD83D":5}`)).toEqual({ a: 3, '\ud83d': 5 });
    });

    test('at 1 MiB as well', () => {
      const body = { '\n': 'x'.repeat(1_000_000) };
      expect(receive(JSON.stringify(body))).toEqual(body);
    });
  });

  test('refuses a body above 1 MiB, whoever has signed it', () => {
    const text = JSON.stringify({ text: 'x'.repeat(2 ** 20) });
    expect(refusal(() => verifyAction(text, signed(text), AI))).toEqual(TOO_LARGE);
  });

  test('throws a TypeError that says what was given', () => {
    for (const secret of [undefined, '', [], [''], [SIGNING_SECRET, undefined], ' \n', '""', [SIGNING_SECRET, "'"]]) {
      expect(() => verifyAction('{}', {}, { ...AI, secret })).toThrow(/environment variable/);
    }
    const thrown = (...given: readonly unknown[]) => {
      try {
        return Reflect.apply(verifyAction, null, given);
      } catch (error) {
        return error instanceof TypeError ? error.message : error;
      }
    };
    const readable = 'await readRawBody(request)';
    const bodies = { Undefined: undefined, Null: null, Object: { a: 1 }, Promise: Promise.resolve(), Request: REQUEST };
    for (const [name, body] of Object.entries(bodies)) {
      const said = thrown(body, signed('{}'), AI);
      expect(said).toContain(readable);
      expect(said).toMatch(new RegExp(`it is ${name}$`, 'i'));
    }
    expect(thrown('{}', undefined, AI)).toMatch(/^headers must be .*undefined$/);
    expect(thrown('{}', signed('{}'), SIGNING_SECRET)).toMatch(/^trigger must be .*undefined$/);
    expect(thrown('{}', signed('{}'), { ...AI, trigger: 'constructor' })).toMatch(/^trigger must be .*String$/);
  });
});

const REQUEST = new Request('https://receiver.example/', { method: 'POST', body: '{}' });

describe('verifyUsageWebhook', () => {
  const SECRET = 'usage-secret-of-at-least-32-characters';
  const reported = async (userId = 'user-1', at = NOW) => {
    const { body, headers } = await usageRequest({ now: at, secret: SECRET, userId });
    return (changes: Record<string, string | undefined> = {}, secret: UsageSecret = SECRET, bytes = body ?? '') =>
      verifyUsageWebhook(bytes, { ...headers, ...changes }, { secret, now });
  };

  test('reads a report of the service, also with non-ASCII user ids', async () => {
    const usage = { input_tokens: 120, output_tokens: 34, total_tokens: 154, tts_chars: 0, tts_provider: null };
    expect((await reported('zoë-😀'))()).toMatchObject({ user_id: 'zoë-😀', usage });
  });

  test('verifies with the secret that the function returns for the claimed user', async () => {
    const verify = await reported('user-2');
    expect(verify({}, ({ user_id }) => (user_id === 'user-2' ? SECRET : 'x'.repeat(32))).user_id).toBe('user-2');
    expect(refusal(() => verify({}, () => undefined))).toEqual(MISMATCH);
  });

  test('accepts a body that a proxy has formatted differently, whatever it contains', async () => {
    const report = (await reported())();
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string({ unit: anyCharacter }), fc.integer()), (value, members) => {
        const body = { value, members, ...report };
        const digest = createHmac('sha256', SECRET).update(canonicalJson(body)).digest('hex');
        const headers = { 'X-Webhook-Signature': digest, 'X-Webhook-Timestamp': String(seconds) };
        expect(verifyUsageWebhook(JSON.stringify(body, null, 2), headers, { secret: SECRET, now })).toMatchObject(
          report,
        );
      }),
    );
  });

  test('refuses missing and malformed headers, wrong signatures and malformed bodies', async () => {
    const verify = await reported();
    const text = canonicalJson(verify());
    const nested = (value: string) => text.replace('{', `{"more":${value},`);
    const refused = (changes: Record<string, string | undefined>, bytes = text) =>
      refusal(() => verify(changes, SECRET, bytes));
    expect(refused({ 'X-Webhook-Signature': undefined })).toEqual([400, 'signature_missing']);
    expect(refused({ 'X-Webhook-Timestamp': undefined })).toEqual([400, 'signature_missing']);
    expect(refused({ 'X-Webhook-Signature': 'abc' })).toEqual([400, 'signature_malformed']);
    expect(refused({ 'X-Webhook-Timestamp': 'now' })).toEqual([400, 'signature_malformed']);
    expect(refused({ 'X-Webhook-Signature': '0'.repeat(64) })).toEqual(MISMATCH);
    expect(refused({}, text.replace('154', '1'))).toEqual(MISMATCH);
    expect(refused({}, '[]')).toEqual(MALFORMED);
    // Nobody has signed these. They must not exhaust the stack.
    expect(refused({}, nested('['.repeat(8200) + ']'.repeat(8200)))).toEqual(TOO_LARGE);
    expect(refused({}, nested('['.repeat(7900) + ']'.repeat(7900)))).toEqual(MALFORMED);
    expect(refused({}, nested('{"a":'.repeat(2000) + 1 + '}'.repeat(2000)))).toEqual(MALFORMED);
    expect(refused({}, nested('['.repeat(64) + ']'.repeat(64)))).toEqual(MALFORMED);
    const other = `{"timestamp":${seconds}}`;
    const digest = createHmac('sha256', SECRET).update(other).digest('hex');
    expect(refused({ 'X-Webhook-Signature': digest }, other)).toEqual(MALFORMED);
  });

  test('refuses an old body with a new timestamp header', async () => {
    const verify = await reported('user-1', new Date(now() - 400_000));
    expect(refusal(() => verify())).toEqual(STALE);
    expect(refusal(() => verify({ 'X-Webhook-Timestamp': String(seconds) }))).toEqual(MALFORMED);
  });

  test.each(['-1', '1e400', '0.5', '9007199254740993', 'null', '"154"', 'true', '[]'])(
    'refuses the count %s',
    async (json) => {
      const text = canonicalJson((await reported())());
      for (const name of ['input_tokens', 'output_tokens', 'total_tokens', 'tts_chars']) {
        const body = text.replace(new RegExp(`"${name}":\\d+`), `"${name}":${json}`);
        const signature = createHmac('sha256', SECRET).update(body).digest('hex');
        const headers = { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': String(seconds) };
        expect(refusal(() => verifyUsageWebhook(body, headers, { secret: SECRET, now }))).toEqual(MALFORMED);
      }
    },
  );
});

describe('the time of a request that nobody has signed', () => {
  const SECRET = 'usage-secret-of-at-least-32-characters';
  const action = { trigger: 'ai', secret: SIGNING_SECRET, now } as const;
  const signature = (header: string) => ({ 'x-service-signature': header, 'x-service-trigger': 'ai' });
  const unsigned = signature(`t=${seconds},v1=${'0'.repeat(64)}`);
  const report = { timestamp: seconds, session_id: 's', user_id: 'u', site_id: 's', nonce: 'n' };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 1, tts_chars: 0, tts_provider: null };
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`é${n}`, n]));
  const reportHeaders = { 'x-webhook-signature': '0'.repeat(64), 'x-webhook-timestamp': String(seconds) };

  /** What grows with `length`, and the work that a refusal of it needs. */
  const GROWING: Readonly<Record<string, (length: number) => () => unknown>> = {
    'a signature header without =': (n) => () => verifyAction('{}', signature('x'.repeat(n)), action),
    'a signature header of =': (n) => () => verifyAction('{}', signature('='.repeat(n)), action),
    'a signature header of commas': (n) => () => verifyAction('{}', signature(','.repeat(n)), action),
    'a signature header of spaces': (n) => () => verifyAction('{}', signature(`t=1${' '.repeat(n)}`), action),
    'a body with a wrong signature': (n) => {
      const body = Buffer.alloc(n * 16, '{"a":1}');
      return () => verifyAction(body, unsigned, action);
    },
    'a report with many members': (n) => {
      const body = JSON.stringify({ ...report, usage, ...members(n / 16) });
      return () => verifyUsageWebhook(body, reportHeaders, { secret: SECRET, now });
    },
    'a report of many levels': (n) => {
      const body = JSON.stringify({ ...report, usage, x: 0 }).replace(/0}$/, `${'['.repeat(n)}${']'.repeat(n)}}`);
      return () => verifyUsageWebhook(body, reportHeaders, { secret: SECRET, now });
    },
  };

  test.each(Object.keys(GROWING))('grows with its length: %s', (name) => {
    const work = GROWING[name] ?? (() => () => {});
    const [short, long] = [work(4000), work(64_000)];
    const refused = (part: () => unknown, times: number) => () => {
      for (let time = 0; time < times; time += 1) expect(refusal(part)[0]).toBeGreaterThanOrEqual(400);
    };
    // Sixteen times the length. Work in its square would take sixteen times as long as sixteen short ones.
    expect(costRatio(refused(long, 10), refused(short, 160))).toBeLessThan(3);
  });
});
