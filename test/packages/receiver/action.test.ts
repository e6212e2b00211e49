import { verifyAction } from '../../../packages/receiver/src/index.ts';
import { signatureHeader } from '../../../src/domain/delivery/signature.ts';
import { actionRequests, SIGNING_SECRET } from '../../examples/action-requests.ts';
import { refusal } from './refusals.ts';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const now = () => NOW.getTime();
const seconds = NOW.getTime() / 1000;

function signed(body: string, changes: Readonly<Record<string, string>> = {}) {
  return {
    'x-service-signature': signatureHeader(SIGNING_SECRET, seconds, Buffer.from(body)),
    'x-service-trigger': 'ai',
    'x-service-trigger-ref': 'c1',
    ...changes,
  };
}

describe('verifyAction', () => {
  test.each(actionRequests(NOW))('$name: $status', ({ request, status }) => {
    const verify = () => verifyAction(request.body ?? '', request.headers, SIGNING_SECRET, { now });
    if (status === 200) expect(verify().triggerRef).toBe(request.headers['X-Service-Trigger-Ref']);
    else expect(refusal(verify)[0]).toBe(status);
  });

  test('accepts a string, a list of headers, fetch headers, and one of several secrets', () => {
    const headers = signed('{}');
    expect(verifyAction('{}', headers, ['another', SIGNING_SECRET], { now }).body).toEqual({});
    expect(verifyAction('{}', new Headers(headers), SIGNING_SECRET, { now }).trigger).toBe('ai');
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verifyAction('{}', lists, SIGNING_SECRET, { now }).trigger).toBe('ai');
  });

  test('ignores schemes that are added next to v1', () => {
    const headers = signed('{}');
    headers['x-service-signature'] += ',v2=abc';
    expect(verifyAction('{}', headers, SIGNING_SECRET, { now }).trigger).toBe('ai');
  });

  test('refuses a signature header that was sent twice', () => {
    const header = signed('{}')['x-service-signature'];
    const headers = { ...signed('{}'), 'x-service-signature': [header, header] };
    expect(refusal(() => verifyAction('{}', headers, SIGNING_SECRET, { now }))).toEqual([400, 'signature_malformed']);
  });

  test.each([
    [300, true],
    [-300, true],
    [300.001, false],
    [-301, false],
  ])('a timestamp that is %d seconds old is fresh: %p', (age, fresh) => {
    const verify = () => verifyAction('{}', signed('{}'), SIGNING_SECRET, { now: () => (seconds + age) * 1000 });
    if (fresh) expect(verify().timestamp).toBe(seconds);
    else expect(refusal(verify)).toEqual([400, 'timestamp_stale']);
  });

  test('refuses every timestamp when the tolerance is not a number', () => {
    expect(
      refusal(() => verifyAction('{}', signed('{}'), SIGNING_SECRET, { now, toleranceSeconds: Number.NaN })),
    ).toEqual([400, 'timestamp_stale']);
  });

  test('refuses trigger headers that do not match the signed body', () => {
    const verify = (changes: Record<string, string>) =>
      refusal(() => verifyAction('{"id":"1"}', signed('{"id":"1"}', changes), SIGNING_SECRET, { now }));
    expect(verify({ 'x-service-trigger': 'event' })).toEqual([400, 'request_malformed']);
    expect(verify({ 'x-service-trigger': 'form' })).toEqual([400, 'request_malformed']);
    expect(verify({ 'x-service-trigger': 'other' })).toEqual([400, 'request_malformed']);
  });

  test('throws a TypeError without a secret, also for an unsigned request, and for a parsed body', () => {
    for (const secret of [undefined, '', [], [''], [SIGNING_SECRET, undefined]]) {
      expect(() => verifyAction('{}', {}, secret, { now })).toThrow(TypeError);
    }
    const parsed: unknown = {};
    expect(() => Reflect.apply(verifyAction, null, [parsed, signed('{}'), SIGNING_SECRET])).toThrow(TypeError);
  });

  test('returns the key to deduplicate on', () => {
    const keys = Object.fromEntries(
      actionRequests(NOW)
        .filter(({ status }) => status === 200)
        .map(({ name, request }) => [
          name,
          verifyAction(request.body ?? '', request.headers, SIGNING_SECRET, { now }).deduplicationKey,
        ]),
    );
    expect(keys).toMatchObject({
      event: expect.stringMatching(/^[0-9a-f-]{36}$/),
      form: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'AI-decided': null,
      'event by GET': null,
      'form by GET': null,
    });
  });
});
