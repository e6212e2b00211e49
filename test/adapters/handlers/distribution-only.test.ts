import { distributionOnly } from '../../../src/adapters/handlers/distribution-only.ts';
import { ENVIRONMENT } from '../../../src/contract/environment.ts';
import { refusalOf } from '../../fakes/refusals.ts';

const isOriginSecret = async (text: string) => text === 'the-origin-secret';
const only = distributionOnly({ [ENVIRONMENT.distributionOnly]: 'true' }, () => isOriginSecret);

test.each<[string, Record<string, string>]>([
  ['nothing', {}],
  ['an empty proof', { 'x-va-wave-origin': '' }],
  ['a wrong proof', { 'x-va-wave-origin': 'guess' }],
])('behind a web ACL a request with %s is refused', async (_, headers) => {
  const refusal = await refusalOf(only({ headers }));
  expect([refusal.status, refusal.code]).toEqual([403, 'distribution_required']);
});

test('behind a web ACL a request of the distribution passes', async () => {
  await expect(only({ headers: { 'x-va-wave-origin': 'the-origin-secret' } })).resolves.toBeUndefined();
});

test('without a web ACL every request passes, and nobody asks for the origin secret', async () => {
  const everywhere = distributionOnly({ [ENVIRONMENT.distributionOnly]: 'false' }, () => {
    throw new Error('Nobody should ask');
  });
  await expect(everywhere({ headers: {} })).resolves.toBeUndefined();
});

test('a function that is not told which it is does not start', () => {
  expect(() => distributionOnly({}, () => isOriginSecret)).toThrow('DISTRIBUTION_ONLY');
});
