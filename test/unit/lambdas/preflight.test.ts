import { PUBLIC_OPERATIONS } from '../../../src/contract/public-operations.ts';
import { anAssistant, SITE_ID } from '../../fakes/configuration.ts';
import { errorBody } from '../../fakes/error-body.ts';
import { aws } from './environment.ts';
import { call } from './invocation.ts';
import { store } from './stored.ts';

const { handler } = await import('../../../lambdas/preflight/handler.ts');
const { handler: notFound } = await import('../../../lambdas/not-found/handler.ts');

beforeEach(() => store(anAssistant()));

const FORM = `/api/widgets/sites/${SITE_ID}/forms/contact-us/submit`;
const INIT = '/api/widget/init';
const [SHOP, EVIL] = ['https://shop.example', 'https://evil.example'];
const ask = (path: string, origin: string | undefined, query?: Record<string, string>) =>
  call(handler, {
    method: 'OPTIONS',
    path,
    ...(query === undefined ? {} : { query }),
    headers: { ...(origin === undefined ? {} : { origin }), 'access-control-request-method': 'POST' },
  });

test.each(Object.values(PUBLIC_OPERATIONS))('a page may call $path, if its caller is the widget', async (operation) => {
  const { path, caller } = operation;
  const ownPath = path.replace('{site_id}', SITE_ID).replace(/\{\w+\}/, 'contact-us');
  const { headers } = await ask(ownPath, SHOP, { site: SITE_ID });
  expect(headers['access-control-allow-origin']).toBe(caller === 'widget' ? SHOP : undefined);
});

test.each([
  ['form submit from the Domain', FORM, SHOP, undefined],
  ['form submit of a site that does not exist', FORM.replace(SITE_ID, 'site_nobody'), EVIL, undefined],
  ['init of a malformed site', INIT, EVIL, { site: '../x y' }],
  ['init from the page of an app', INIT, 'capacitor://localhost', { site: '../x y' }],
])('a page may call %s', async (_, path, origin, query) => {
  const answer = await ask(path, origin, query);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, x-site-id, x-session-token',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
});

test.each([
  ['another origin', FORM, EVIL, undefined],
  ['the origin null, of a site that does not exist', INIT, 'null', { site: 'site_nobody' }],
  ['no origin', FORM, undefined, undefined],
])('%s may not', async (_, path, origin, query) => {
  store(anAssistant(), anAssistant({ site_id: 'site_evil', domain: 'evil.example' }));
  const answer = await ask(path, origin, query);
  expect(answer.status).toBe(204);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(answer.headers).toMatchObject({ vary: 'Origin' });
});

test('without a site, a page on the Domain of any assistant may call init', async () => {
  aws.on(
    'Query',
    { ExpressionAttributeValues: { ':pk': 'DOMAIN#shop.example:443' } },
    { Items: [{ pk: 'x', sk: 'x' }] },
  );
  const allowed = async (origin: string) => (await ask(INIT, origin)).headers['access-control-allow-origin'];
  expect([await allowed(SHOP), await allowed(EVIL)]).toEqual([SHOP, undefined]);
});

test('an unknown route is a 404 with the common error body', async () => {
  const answer = await call(notFound, { method: 'GET', path: '/api/nothing' });
  expect([answer.status, answer.body]).toEqual([404, errorBody('Not found')]);
  expect(answer.headers).toMatchObject({ vary: 'Origin', 'content-type': 'application/json' });
});

test('the headers that a page adds to each request are allowed on the routes of the widget, bounded in number, length and syntax', async () => {
  const names = async (path: string, requested: string) => {
    const headers = {
      origin: SHOP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': requested,
    };
    const answer = await call(handler, { method: 'OPTIONS', path, query: { site: SITE_ID }, headers });
    const allowed = answer.headers['access-control-allow-headers'];
    return allowed === undefined ? undefined : String(allowed);
  };
  const own = 'content-type, x-site-id, x-session-token';
  for (const path of [INIT, FORM]) {
    expect(await names(path, 'content-type, traceparent,X-Site-Id,Tracestate')).toBe(`${own}, traceparent, tracestate`);
    expect(await names(path, `a b,\u00e4,,${'x'.repeat(65)},y\r\nz`)).toBe(own);
  }
  const many = Array.from({ length: 200 }, (_, index) => `x-${index}`).join();
  expect((await names(INIT, many))?.split(', ')).toHaveLength(3 + 32);
  for (const path of ['/api/widget/session/create', '/api/dashboard/organizations']) {
    expect(await names(path, 'traceparent')).toBeUndefined();
  }
});
