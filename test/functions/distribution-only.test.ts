import { ENVIRONMENT } from '../../src/contract/environment.ts';
import { distributionOnly } from '../../src/functions/distribution-only.ts';
import { refusalOf } from '../fakes/refusals.ts';

const isOriginSecret = async (text: string) => text === 'the-origin-secret';
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
  await expect(only({ headers: { 'x-va-wave-origin': 'the-origin-secret' } })).resolves.toBeUndefined();
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
