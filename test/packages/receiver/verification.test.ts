import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  requireSecret,
  type UsageSecret,
  VerificationError,
  verifyAction,
  verifyUsageWebhook,
} from '../../../packages/receiver/src/index.ts';
import { canonicalJson } from '../../../src/domain/canonical-json.ts';
import { signatureHeader } from '../../../src/domain/delivery/signature.ts';
import { actionRequests, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { usageRequest } from '../../examples/usage-requests.ts';
import { anyCharacter } from '../../harness/any-character.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const now = () => NOW.getTime();
const seconds = NOW.getTime() / 1000;
const FRESH = { now };
const STALE = [400, 'timestamp_stale'];
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

describe('the fixed vectors', () => {
  type Vector = Record<'name' | 'secret' | 'body' | 'signature', string> & { readonly timestamp: number };
  type ActionVector = Vector & { readonly trigger: string; readonly trigger_ref: string };
  const file = new URL('../../../packages/receiver/vectors.json', import.meta.url);
  const vectors: { actions: ActionVector[]; usage_webhooks: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));

  test.each(vectors.actions)('Action: $name', ({ secret, timestamp, body, signature, trigger, trigger_ref }) => {
    expect(signatureHeader(secret, timestamp, Buffer.from(body))).toBe(signature);
    const headers = {
      'X-Service-Signature': signature,
      'X-Service-Trigger': trigger,
      'X-Service-Trigger-Ref': trigger_ref,
    };
    const action = verifyAction(Buffer.from(body), headers, secret, { now: () => timestamp * 1000 });
    expect(action).toMatchObject({ timestamp, body: body === '' ? null : JSON.parse(body) });
  });

  test.each(vectors.usage_webhooks)('usage webhook: $name', ({ secret, timestamp, body, signature }) => {
    const headers = { 'X-Webhook-Signature': signature, 'X-Webhook-Timestamp': String(timestamp) };
    const report = verifyUsageWebhook(body, headers, secret, { now: () => timestamp * 1000 });
    expect(report).toEqual(JSON.parse(body));
  });
});

describe('verifyAction', () => {
  const signed = (body: string, changes: Readonly<Record<string, string>> = {}) => ({
    'x-service-signature': signatureHeader(SIGNING_SECRET, seconds, Buffer.from(body)),
    'x-service-trigger': 'ai',
    'x-service-trigger-ref': 'c1',
    ...changes,
  });

  test.each(actionRequests(NOW))('$name: $status', ({ name, request, status }) => {
    const verify = () => verifyAction(request.body ?? '', request.headers, SIGNING_SECRET, FRESH);
    if (status !== 200) return expect(refusal(verify)[0]).toBe(status);
    const { trigger, triggerRef, body, deduplicationKey } = verify();
    expect(triggerRef).toBe(request.headers['X-Service-Trigger-Ref']);
    const key = trigger === 'event' ? body?.id : trigger === 'form' ? body?.submission_id : undefined;
    expect([name, deduplicationKey]).toEqual([name, key ?? null]);
  });

  test('accepts a string, a list of headers, fetch headers, one of several secrets, and schemes next to v1', () => {
    const headers = signed('{}');
    expect(verifyAction('{}', headers, ['another', SIGNING_SECRET], FRESH).body).toEqual({});
    expect(verifyAction('{}', new Headers(headers), SIGNING_SECRET, FRESH).trigger).toBe('ai');
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verifyAction('{}', lists, SIGNING_SECRET, FRESH).trigger).toBe('ai');
    headers['x-service-signature'] += ',v2=abc';
    expect(verifyAction('{}', headers, SIGNING_SECRET, FRESH).trigger).toBe('ai');
  });

  test('refuses a signature header that was sent twice', () => {
    const header = signed('{}')['x-service-signature'];
    const headers = { ...signed('{}'), 'x-service-signature': [header, header] };
    expect(refusal(() => verifyAction('{}', headers, SIGNING_SECRET, FRESH))).toEqual([400, 'signature_malformed']);
  });

  test('accepts a timestamp of 300 seconds before or after now, and no other', () => {
    const aged = (age: number, toleranceSeconds?: number) => () =>
      verifyAction('{}', signed('{}'), SIGNING_SECRET, { now: () => (seconds + age) * 1000, toleranceSeconds });
    for (const age of [300, -300]) expect(aged(age)().timestamp).toBe(seconds);
    for (const age of [300.001, -301]) expect(refusal(aged(age))).toEqual(STALE);
    expect(refusal(aged(0, Number.NaN))).toEqual(STALE);
  });

  test.each(['event', 'form', 'other'])(
    'refuses the trigger header %s that does not match the signed body',
    (trigger) => {
      const headers = signed('{"id":"1"}', { 'x-service-trigger': trigger });
      expect(refusal(() => verifyAction('{"id":"1"}', headers, SIGNING_SECRET, FRESH))).toEqual(MALFORMED);
    },
  );

  test('throws a TypeError without a secret, also for an unsigned request, and for a parsed body', () => {
    for (const secret of [undefined, '', [], [''], [SIGNING_SECRET, undefined]]) {
      expect(() => verifyAction('{}', {}, secret, FRESH)).toThrow(TypeError);
      expect(() => requireSecret(secret)).toThrow(/environment variable/);
    }
    const parsed: unknown = {};
    expect(() => Reflect.apply(verifyAction, null, [parsed, signed('{}'), SIGNING_SECRET])).toThrow(TypeError);
  });
});

describe('verifyUsageWebhook', () => {
  const SECRET = 'usage-secret-of-at-least-32-characters';
  const reported = async (userId = 'user-1', at = NOW) => {
    const { body, headers } = await usageRequest({ now: at, secret: SECRET, userId });
    return (changes: Record<string, string | undefined> = {}, secret: UsageSecret = SECRET, bytes = body ?? '') =>
      verifyUsageWebhook(bytes, { ...headers, ...changes }, secret, FRESH);
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
        expect(verifyUsageWebhook(JSON.stringify(body, null, 2), headers, SECRET, FRESH)).toMatchObject(report);
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
    expect(refused({}, nested('['.repeat(100_000) + ']'.repeat(100_000)))).toEqual(MALFORMED);
    expect(refused({}, nested('{"a":'.repeat(40_000) + 1 + '}'.repeat(40_000)))).toEqual(MALFORMED);
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
});
