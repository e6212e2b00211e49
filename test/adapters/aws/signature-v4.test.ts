import { signatureV4 } from '../../../src/adapters/aws/signature-v4.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const NOW = new Date('2015-08-30T12:36:00Z');
const HOST = { host: 'example.amazonaws.com' };
const sign = () => signatureV4('service', 'us-east-1');
const signatureOf = (headers: Readonly<Record<string, string>>) =>
  /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1];

// AWS's own test suite for Signature Version 4: post-vanilla and post-header-value-case.
test.each([
  ['host;x-amz-date', {}, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'host;my-header1;x-amz-date',
    { 'my-header1': 'VALUE1' },
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
])("is the one of AWS's test suite over %s", (names, more, signature) => {
  const headers = sign()({ ...more, ...HOST }, '', CREDENTIALS, NOW);
  expect(headers).toEqual({
    ...HOST,
    ...more,
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  });
});

test('is the same in whatever order the headers are given', () => {
  const one = sign()({ a: '1', ...HOST }, '', CREDENTIALS, NOW);
  expect(signatureOf(sign()({ ...HOST, a: '1' }, '', CREDENTIALS, NOW))).toBe(signatureOf(one));
});

test.each<[string, Parameters<ReturnType<typeof sign>>]>([
  ['another body', [HOST, 'x', CREDENTIALS, NOW]],
  ['another header', [{ ...HOST, a: '1' }, '', CREDENTIALS, NOW]],
  ['another second', [HOST, '', CREDENTIALS, new Date(NOW.getTime() + 1000)]],
  ['a session token', [HOST, '', { ...CREDENTIALS, sessionToken: 'token' }, NOW]],
])('is another one over %s', (_, changed) => {
  expect(signatureOf(sign()(...changed))).not.toBe(signatureOf(sign()(HOST, '', CREDENTIALS, NOW)));
});

test('uses the key of the day and of the credentials that are valid now', () => {
  const kept = sign();
  const tomorrow = new Date('2015-08-31T00:00:00Z');
  const renewed = { accessKeyId: 'AKIDRENEWED', secretAccessKey: 'another' };
  for (const [credentials, now] of [
    [CREDENTIALS, NOW],
    [CREDENTIALS, tomorrow],
    [renewed, tomorrow],
    [CREDENTIALS, NOW],
  ] as const) {
    expect(kept(HOST, '', credentials, now)).toEqual(sign()(HOST, '', credentials, now));
  }
});
