import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { newServerSecret, storedServerSecret } from '../../../src/domain/auth/server-secret.ts';
import { isDistributionRequired, isFromDistribution, visitorIp } from '../../../src/functions/widget-request.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { failing } from '../../fakes/failing.ts';
import { countingBytes } from '../../fakes/sources.ts';
import { aws } from '../lambdas/environment.ts';
import { call } from '../lambdas/invocation.ts';
import { ORIGIN_SECRET, store } from '../lambdas/stored.ts';

const SECRET = 'the-origin-secret';
const ip = async (headers: Record<string, string>) => {
  const viaDistribution = await isFromDistribution({ headers }, async (text) => text === SECRET);
  return visitorIp({ headers, sourceIp: '192.0.2.1' }, viaDistribution);
};

const VIEWED = { 'cloudfront-viewer-address': '198.51.100.7:4711' };
const VIEWED_OVER_IPV6 = { 'cloudfront-viewer-address': '2001:db8::1:4711' };
const PROOF = { 'x-va-wave-origin': SECRET };

test.each<[string, Record<string, string>, string]>([
  ['without headers', {}, '192.0.2.1'],
  ['with X-Forwarded-For', { 'x-forwarded-for': '198.51.100.7' }, '192.0.2.1'],
  ['with a viewer address and no proof', VIEWED, '192.0.2.1'],
  ['with a viewer address and a wrong proof', { ...VIEWED, 'x-va-wave-origin': 'guess' }, '192.0.2.1'],
  ['with an empty proof', { ...VIEWED, 'x-va-wave-origin': '' }, '192.0.2.1'],
  ['with a proof and no viewer address', PROOF, '192.0.2.1'],
  ['with both', { ...VIEWED, ...PROOF }, '198.51.100.7'],
  ['with both, over IPv6', { ...VIEWED_OVER_IPV6, ...PROOF }, '2001:db8::1'],
])('a request %s has the visitor IP %p', async (_, headers, expected) => {
  expect(await ip(headers)).toBe(expected);
});

test('the secret is read only for a request with a proof', async () => {
  const away = failing('away');
  expect(await isFromDistribution({ headers: VIEWED }, away)).toBe(false);
});

test('a function without the setting for the web ACL does not start', () => {
  expect(isDistributionRequired({ [ENVIRONMENT.distributionOnly]: 'true' })).toBe(true);
  expect(isDistributionRequired({ [ENVIRONMENT.distributionOnly]: 'false' })).toBe(false);
  expect(() => isDistributionRequired({})).toThrow('VA_WAVE_DISTRIBUTION_ONLY');
});

process.env[ENVIRONMENT.distributionOnly] = 'true';
const preflight = await import('../../../lambdas/preflight/handler.ts');
const widgetInit = await import('../../../lambdas/widget-init/handler.ts');
process.env[ENVIRONMENT.distributionOnly] = 'false';

test.each([
  ['no proof', {}],
  ['an empty proof', { 'x-va-wave-origin': '' }],
  ['a wrong proof', { 'x-va-wave-origin': 'guess' }],
])('behind a web ACL a request with %s is refused, also a preflight', async (_, headers) => {
  store();
  expect((await call(preflight.handler, { method: 'OPTIONS', headers })).status).toBe(403);
  expect((await call(widgetInit.handler, { headers })).body).toMatchObject({ code: 'distribution_required' });
});

test('behind a web ACL a request through the distribution is accepted', async () => {
  store();
  const headers = { 'x-va-wave-origin': ORIGIN_SECRET };
  expect((await call(preflight.handler, { method: 'OPTIONS', headers })).status).toBe(204);
});

const sessionCreate = await import('../../../lambdas/session-create/handler.ts');
const formSubmit = await import('../../../lambdas/form-submit/handler.ts');

const VIEWER = '203.0.113.9';
const KEY = newServerSecret(SITE_ID, countingBytes());
const PAGE = { origin: 'https://shop.example', 'x-site-id': SITE_ID };
const viewedWith = (proof: string) => ({ 'x-va-wave-origin': proof, 'cloudfront-viewer-address': `${VIEWER}:4711` });

/** Returns whether the service accepts the viewer address of a request with this proof. */
const BELIEVES: Readonly<Record<string, (proof: string) => Promise<boolean>>> = {
  'session-create': async (proof) => {
    store(anAssistant({ authentication_mode: 'Session Signed', server_secret: storedServerSecret(KEY) }));
    await call(sessionCreate.handler, { headers: { 'x-server-key': KEY, ...viewedWith(proof) } });
    return aws.callsOf('UpdateItem', { Key: { pk: `session-create#${VIEWER}` } }).length === 1;
  },
  'widget-init': async (proof) => {
    store(anAssistant({ ip_allowlist: [VIEWER] }));
    aws.on('PutEvents', {}, { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] });
    return (await call(widgetInit.handler, { headers: { ...PAGE, ...viewedWith(proof) } })).status === 200;
  },
  'form-submit': async (proof) => {
    store(anAssistant());
    await call(formSubmit.handler, {
      pathParameters: { site_id: SITE_ID, slug: 'contact-us' },
      headers: { ...PAGE, ...viewedWith(proof) },
      body: { conversation_id: 'c-1', values: {} },
    });
    return aws.callsOf('UpdateItem', { Key: { pk: `form-submit#${SITE_ID}#${VIEWER}` } }).length === 1;
  },
};

test.each(Object.entries(BELIEVES))(
  "%s accepts the viewer's address only from the distribution",
  async (_, believes) => {
    expect(await believes(ORIGIN_SECRET)).toBe(true);
    expect(await believes('guess')).toBe(false);
  },
);
