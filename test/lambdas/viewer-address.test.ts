import { newServerSecret, storedServerSecret } from '../../src/domain/auth/server-secret.ts';
import { anAssistant, SITE_ID } from '../fakes/configuration.ts';
import { countingBytes } from '../fakes/sources.ts';
import { aws } from './environment.ts';
import { call } from './invocation.ts';
import { ORIGIN_SECRET, store } from './stored.ts';

const sessionCreate = await import('../../lambdas/session-create/handler.ts');
const widgetInit = await import('../../lambdas/widget-init/handler.ts');
const formSubmit = await import('../../lambdas/form-submit/handler.ts');

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
