import { createHmac } from 'node:crypto';
import { verifyUsageWebhook } from '../../../packages/receiver/src/index.ts';
import { usageRequest } from '../../examples/usage-requests.ts';
import { refusal } from './refusals.ts';

const SECRET = 'usage-secret-of-at-least-32-characters';
const NOW = new Date('2026-03-04T05:06:07.000Z');
const now = () => NOW.getTime();

describe('verifyUsageWebhook', () => {
  test('reads a report of the service, also with non-ASCII user ids', async () => {
    const { body, headers } = await usageRequest({ now: NOW, secret: SECRET, userId: 'zoë-😀' });
    const report = verifyUsageWebhook(body ?? '', headers, SECRET, { now });
    expect(report.user_id).toBe('zoë-😀');
    expect(report.usage).toEqual({
      input_tokens: 120,
      output_tokens: 34,
      total_tokens: 154,
      tts_chars: 0,
      tts_provider: null,
    });
  });

  test('verifies with the secret that the function returns for the claimed user', async () => {
    const { body, headers } = await usageRequest({ now: NOW, secret: SECRET, userId: 'user-2' });
    const secretOf = ({ user_id }: { user_id: string }) => (user_id === 'user-2' ? SECRET : 'x'.repeat(32));
    expect(verifyUsageWebhook(body ?? '', headers, secretOf, { now }).user_id).toBe('user-2');
    expect(refusal(() => verifyUsageWebhook(body ?? '', headers, () => undefined, { now }))).toEqual([
      401,
      'signature_mismatch',
    ]);
  });

  test('refuses missing and malformed headers, wrong signatures and malformed bodies', async () => {
    const { body, headers } = await usageRequest({ now: NOW, secret: SECRET, userId: 'user-1' });
    const raw = Buffer.from(body ?? []);
    const verify = (changes: Record<string, string | undefined>, bytes: Uint8Array = raw) =>
      refusal(() => verifyUsageWebhook(bytes, { ...headers, ...changes }, SECRET, { now }));
    expect(verify({ 'X-Webhook-Signature': undefined })).toEqual([400, 'signature_missing']);
    expect(verify({ 'X-Webhook-Timestamp': undefined })).toEqual([400, 'signature_missing']);
    expect(verify({ 'X-Webhook-Signature': 'abc' })).toEqual([400, 'signature_malformed']);
    expect(verify({ 'X-Webhook-Timestamp': 'now' })).toEqual([400, 'signature_malformed']);
    expect(verify({ 'X-Webhook-Signature': '0'.repeat(64) })).toEqual([401, 'signature_mismatch']);
    expect(verify({}, Buffer.from(raw.toString().replace('154', '1')))).toEqual([401, 'signature_mismatch']);
    expect(verify({}, Buffer.from('[]'))).toEqual([400, 'request_malformed']);
  });

  test('refuses an old body with a new timestamp header', async () => {
    const old = await usageRequest({ now: new Date(now() - 400_000), secret: SECRET, userId: 'user-1' });
    const verify = (headers: Record<string, string>) =>
      refusal(() => verifyUsageWebhook(old.body ?? '', { ...old.headers, ...headers }, SECRET, { now }));
    expect(verify({})).toEqual([400, 'timestamp_stale']);
    expect(verify({ 'X-Webhook-Timestamp': String(now() / 1000) })).toEqual([400, 'request_malformed']);
  });

  test.each([
    ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(40_000) + 1 + '}'.repeat(40_000)],
    ['a few levels too many', '['.repeat(64) + ']'.repeat(64)],
  ])('refuses an unsigned body that is nested too deeply by %s', async (_, nested) => {
    const { body, headers } = await usageRequest({ now: NOW, secret: SECRET, userId: 'user-1' });
    const raw = Buffer.from(
      Buffer.from(body ?? [])
        .toString()
        .replace('{', `{"more":${nested},`),
    );
    expect(refusal(() => verifyUsageWebhook(raw, headers, SECRET, { now }))).toEqual([400, 'request_malformed']);
  });

  test('refuses a signed body that is not a usage report', () => {
    const body = `{"timestamp":${now() / 1000}}`;
    const headers = {
      'X-Webhook-Signature': createHmac('sha256', SECRET).update(body).digest('hex'),
      'X-Webhook-Timestamp': String(now() / 1000),
    };
    expect(refusal(() => verifyUsageWebhook(body, headers, SECRET, { now }))).toEqual([400, 'request_malformed']);
  });
});
