import { responseExcerpt, resultOf } from '../../../src/domain/delivery/delivery-log.ts';
import type { OutboundOutcome } from '../../../src/domain/delivery/outbound.ts';
import { answered, unanswered } from '../../fakes/delivery.ts';

test.each([
  ['nothing', '', ''],
  ['2000 characters', 'x'.repeat(2000), 'x'.repeat(2000)],
  ['2001 characters', 'x'.repeat(2001), 'x'.repeat(2000)],
  ['2001 code points', '👩'.repeat(2001), '👩'.repeat(2000)],
])('of %s the log keeps at most 2000', (_, body, excerpt) => {
  expect(responseExcerpt(Buffer.from(body), {})).toBe(excerpt);
});

test('bytes that are not UTF-8 are replaced without an error', () => {
  expect(responseExcerpt(Uint8Array.from([0x41, 0xff, 0xfe, 0x42]), {})).toBe('A��B');
  expect(responseExcerpt(Buffer.alloc(1024 * 1024, 0xff), {})).toBe('�'.repeat(2000));
});

test('a result without a response has no excerpt, and an empty response has an empty one', () => {
  expect(resultOf(unanswered('timeout'), { headers: {} })).toEqual({
    status: null,
    response_excerpt: null,
    latency_ms: 5000,
    success: false,
    error: { code: 'timeout', message: 'timeout' },
  });
  expect(resultOf(answered(204, ''), { headers: {} }).response_excerpt).toBe('');
});

test('a signature that the endpoint echoes does not reach the log', () => {
  const digest = 'ab'.repeat(32);
  const headers = { 'X-Service-Signature': `t=1,v1=${digest}`, 'X-Service-Trigger': 'event' };
  const echo = (sent: object) => responseExcerpt(Buffer.from(JSON.stringify(sent)), headers);
  expect(echo(headers)).toBe('{"X-Service-Signature":"t=1,v1=(not shown)","X-Service-Trigger":"event"}');
  expect(echo([digest, digest])).toBe('["(not shown)","(not shown)"]');
  const usage = { 'X-Webhook-Signature': digest };
  expect(responseExcerpt(Buffer.from(digest), usage)).toBe('(not shown)');
  // A signature at the end of the excerpt is removed before the excerpt is cut.
  expect(responseExcerpt(Buffer.from('x'.repeat(1960) + digest), usage)).toBe(`${'x'.repeat(1960)}(not shown)`);
});

test('a problem with the body is recorded next to the status', () => {
  const broken = { ...answered(200), bodyComplete: false, note: 'The response body broke off' };
  const errorOf = (outcome: OutboundOutcome) => resultOf(outcome, { headers: {} }).error;
  expect(errorOf(broken)).toEqual({ code: 'connection_closed', message: 'The response body broke off' });
  expect(errorOf({ ...broken, latencyMs: 5000 })).toMatchObject({ code: 'timeout' });
  expect(errorOf({ ...answered(503), bodyComplete: false, note: 'It broke off' })).toEqual({
    code: 'http_status',
    message: 'HTTP 503. It broke off',
  });
  expect(errorOf({ ...answered(200), note: 'Only the first 1 MB of the response body was read' })).toBeNull();
});
