import { expectHarmless } from './harmless.ts';

const fine = { status: 200, body: '{"error":"read it at once; now at version 1:2:3"}', log: '{"level":"INFO"}' };

test('accepts an answer without a fault, a stack trace or a secret', () => {
  expect(() => expectHarmless(fine, ['ss_secret'])).not.toThrow();
});

test.each([
  ['a fault', { status: 500 }],
  ['a stack', { body: String(new Error('Away').stack) }],
  ['a stack in JSON', { body: JSON.stringify({ error: new Error('Away').stack }) }],
  ['an error in the log', { log: '{"level":"ERROR","message":"The request failed"}' }],
  ['a secret in the log', { log: '{"level":"INFO","key":"ss_secret"}' }],
])('refuses an outcome with %s', (_, what) => {
  expect(() => expectHarmless({ ...fine, ...what }, ['ss_secret'])).toThrow();
});
