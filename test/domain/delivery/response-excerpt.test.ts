import { resultOf } from '../../../src/domain/delivery/delivery-log.ts';
import { responseExcerpt } from '../../../src/domain/delivery/response-excerpt.ts';
import { answered, unanswered } from '../../fakes/delivery.ts';

test.each([
  ['nothing', '', ''],
  ['2000 characters', 'x'.repeat(2000), 'x'.repeat(2000)],
  ['2001 characters', 'x'.repeat(2001), 'x'.repeat(2000)],
  ['2001 code points', '👩'.repeat(2001), '👩'.repeat(2000)],
])('of %s the log keeps 2000', (_, body, excerpt) => {
  expect(responseExcerpt(Buffer.from(body))).toBe(excerpt);
});

test('bytes that are no text are replaced, and never fail', () => {
  expect(responseExcerpt(Uint8Array.from([0x41, 0xff, 0xfe, 0x42]))).toBe('A��B');
  expect(responseExcerpt(Buffer.alloc(1024 * 1024, 0xff))).toBe('�'.repeat(2000));
});

test('a result without an answer has no excerpt; one with an empty answer has an empty one', () => {
  expect(resultOf(unanswered('timeout'))).toEqual({
    status: null,
    response_excerpt: null,
    latency_ms: 5000,
    success: false,
    error: { code: 'timeout', message: 'timeout' },
  });
  expect(resultOf(answered(204, '')).response_excerpt).toBe('');
});
