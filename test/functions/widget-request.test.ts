import { ENVIRONMENT } from '../../src/deployment/environment.ts';
import { distributionOnly, visitorIp } from '../../src/functions/widget-request.ts';
import { refusalOf } from '../fakes/refusals.ts';

const SECRET = 'the-origin-secret';
const ip = (headers: Record<string, string>) =>
  visitorIp({ headers, sourceIp: '192.0.2.1' }, async (text) => text === SECRET);

test.each<[string, Record<string, string>, string]>([
  ['without headers', {}, '192.0.2.1'],
  ['with X-Forwarded-For', { 'x-forwarded-for': '198.51.100.7' }, '192.0.2.1'],
  ['with a viewer address and no proof', { 'cloudfront-viewer-address': '198.51.100.7:4711' }, '192.0.2.1'],
  [
    'with a viewer address and a wrong proof',
    { 'cloudfront-viewer-address': '198.51.100.7:4711', 'x-va-wave-origin': 'guess' },
    '192.0.2.1',
  ],
  ['with an empty proof', { 'cloudfront-viewer-address': '198.51.100.7:4711', 'x-va-wave-origin': '' }, '192.0.2.1'],
  ['with a proof and no viewer address', { 'x-va-wave-origin': SECRET }, '192.0.2.1'],
  ['with both', { 'cloudfront-viewer-address': '198.51.100.7:4711', 'x-va-wave-origin': SECRET }, '198.51.100.7'],
  [
    'with both, over IPv6',
    { 'cloudfront-viewer-address': '2001:db8::1:4711', 'x-va-wave-origin': SECRET },
    '2001:db8::1',
  ],
])('a request %s has the visitor IP %p', async (_, headers, expected) => {
  expect(await ip(headers)).toBe(expected);
});

test('the secret is read only for a request with a proof', async () => {
  const away = async () => {
    throw new Error('away');
  };
  const request = { headers: { 'cloudfront-viewer-address': '198.51.100.7:4711' }, sourceIp: '192.0.2.1' };
  expect(await visitorIp(request, away)).toBe('192.0.2.1');
});

const isOriginSecret = async (text: string) => text === SECRET;
const only = distributionOnly({ [ENVIRONMENT.distributionOnly]: 'true' }, () => isOriginSecret);

test.each<[string, Record<string, string>]>([
  ['no proof', {}],
  ['an empty proof', { 'x-va-wave-origin': '' }],
  ['a wrong proof', { 'x-va-wave-origin': 'guess' }],
])('behind a web ACL a request with %s is refused', async (_, headers) => {
  const refusal = await refusalOf(only({ headers }));
  expect([refusal.status, refusal.code]).toEqual([403, 'distribution_required']);
});

test('behind a web ACL a request through the distribution is accepted', async () => {
  await expect(only({ headers: { 'x-va-wave-origin': SECRET } })).resolves.toBeUndefined();
});

test('without a web ACL every request is accepted, and the origin secret is not read', async () => {
  const everywhere = distributionOnly({ [ENVIRONMENT.distributionOnly]: 'false' }, () => {
    throw new Error('The origin secret must not be read');
  });
  await expect(everywhere({ headers: {} })).resolves.toBeUndefined();
});

test('a function without the setting does not start', () => {
  expect(() => distributionOnly({}, () => isOriginSecret)).toThrow('DISTRIBUTION_ONLY');
});
